import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// An operation as a call of Atomic's interface, without its credentials.
struct AtomicCall {
  var method: HTTPMethod
  var path: [String]
  var query: [(name: String, value: String)] = []
  var body: [UInt8]?
  var contentType = "application/json"
  /// The key of the stored entity tag of the last answer.
  var tag: String?

  /// Throws `unsupported` if Atomic lacks the operation and `invalidArgument` if it would refuse
  /// it.
  init(
    _ operation: Operation, in context: AdapterContext
  ) throws(EngagementError) {
    switch operation {
    case .cards(let container, let filters): try self.init(feed: container, filters)
    case .metrics: self.init(.get, "user-metrics", tag: AtomicTag.metrics)
    case .act(let action, let item): try self.init(action, item, in: context)
    case .events(let events): try self.init(events, in: context)
    case .updatePerson(let update):
      self.init(.put, "update-user", body: .object(try AtomicPerson.body(of: update)))
    case .registerPush(let environment): try self.init(registering: environment, in: context)
    case .unregisterPush:
      self.init(.delete, "deregister-token", body: .object(Self.device(in: context)))
    case .pushContainers(let containers, let notifications):
      try self.init(containers: containers, notifications, in: context)
    case .upload(let upload): try self.init(upload, in: context)
    case .settings, .device, .inbox, .message, .person, .associate, .campaigns, .templates,
      .optOut, .vendor:
      throw Self.unsupported
    }
  }

  private static let unsupported = EngagementError(
    .unsupported, "Atomic does not support this.")

  private init(_ method: HTTPMethod, _ path: String, body: JSON? = nil, tag: String? = nil) {
    self.method = method
    self.path = [path]
    self.body = body?.encoded()
    self.tag = tag
  }

  // MARK: Cards

  private init(feed container: ContainerID?, _ filters: [CardFilter]) throws(EngagementError) {
    guard let container, !container.rawValue.isEmpty else {
      throw EngagementError(.invalidArgument, "Atomic has a feed for each container: name one.")
    }
    method = .get
    path = ["feed", container.rawValue]
    let wire = try AtomicFilters.json(filters)
    if !wire.isEmpty {
      query = [("filters", String(decoding: JSON.object(wire).encoded(), as: UTF8.self))]
    }
    tag = try AtomicTag.feed(container, filters)
  }

  private init(
    _ action: ItemAction, _ item: ItemReference, in context: AdapterContext
  ) throws(EngagementError) {
    guard item.surface == .cards else {
      throw EngagementError(.unsupported, "Atomic has cards only.")
    }
    guard let container = item.container else {
      throw EngagementError(.invalidArgument, "Atomic wants to know the container of a card.")
    }
    var body: JSONObject = [
      "streamContainerId": .string(container.rawValue), "cardInstanceId": .string(item.id.value),
    ]
    switch action {
    case .dismiss: self.init(.post, "dismiss", body: .object(body))
    case .snooze(let seconds):
      body["interval"] = .string(try Self.interval(seconds, in: context))
      self.init(.post, "snooze", body: .object(body))
    case .submit(_, let values):
      // It is unknown where Atomic expects the button's name; its web client does not send it.
      body["values"] = .object(try Self.checked(values))
      self.init(.post, "response", body: .object(body))
    case .impression, .click, .open, .read, .vote, .expire, .delete: throw Self.unsupported
    }
  }

  /// A file under the id that its submission has among its values. Atomic documents no such call: this
  /// one is ours.
  private init(
    _ upload: Operation.Upload, in context: AdapterContext
  ) throws(EngagementError) {
    guard let container = upload.item.container, upload.item.surface == .cards else {
      throw EngagementError(.invalidArgument, "Atomic takes files for a card of a container.")
    }
    method = .put
    path = ["upload", context.id(0)]
    query = [
      ("streamContainerId", container.rawValue), ("cardInstanceId", upload.item.id.value),
      ("filename", upload.fileName),
    ]
    if let bucket = upload.bucket { query.append(("bucketId", bucket)) }
    contentType = upload.contentType
    body = context.file
  }

  /// The remaining time of a snooze: Atomic counts from the request, the user from the action.
  private static func interval(
    _ seconds: Int, in context: AdapterContext
  ) throws(EngagementError) -> String {
    guard seconds >= 0 else {
      throw EngagementError(.invalidArgument, "A card is snoozed for zero or more seconds.")
    }
    let waited = max(0, context.now.timeIntervalSince(context.acceptedAt).rounded(.down))
    guard let passed = Int(exactly: waited) else { return ISO8601.text(of: .zero) }
    return ISO8601.text(of: .seconds(max(0, seconds - passed)))
  }

  private static func checked(_ values: JSONObject) throws(EngagementError) -> JSONObject {
    guard values.members.allSatisfy(\.value.isSubmittable) else {
      throw EngagementError(
        .invalidArgument,
        "A submitted value is a string, a finite number, a truth value, or truth values by name.")
    }
    return values
  }

  // MARK: Events

  private init(_ events: [EngagementEvent], in context: AdapterContext) throws(EngagementError) {
    let known = events.filter { AtomicEvents.fault(of: $0) == nil }
    guard !known.isEmpty else {
      throw EngagementError(.unsupported, "Atomic takes none of these events.")
    }
    var writer = JSONWriter(reservingCapacity: 512 * known.count)
    writer.beginObject()
    writer.key("data")
    AtomicEvents.write(known, of: context.user, to: &writer)
    writer.endObject()
    method = .put
    path = ["analytics"]
    body = writer.bytes
  }

  // MARK: Push

  private static func device(in context: AdapterContext) -> JSONObject {
    ["deviceId": .string(context.device.id), "appId": .string(context.device.appID)]
  }

  private static let platforms: [PushRegistration.Service: String] = [
    .apns: "iOS", .fcm: "Android",
  ]

  private init(
    registering environment: PushEnvironment, in context: AdapterContext
  ) throws(EngagementError) {
    guard let registration = context.push[environment] else {
      throw EngagementError(.invalidArgument, "There is no push token to register.")
    }
    guard let platform = Self.platforms[registration.service] else {
      throw EngagementError(.unsupported, "Atomic does not know this push service.")
    }
    var body: JSONObject = ["token": .string(registration.token.revealed)]
    for member in Self.device(in: context).members { body[member.key] = member.value }
    body["platform"] = .string(platform)
    self.init(.put, "register", body: .object(body))
  }

  private init(
    containers: [ContainerID], _ notifications: Bool?, in context: AdapterContext
  ) throws(EngagementError) {
    guard !containers.contains(where: \.rawValue.isEmpty) else {
      throw EngagementError(.invalidArgument, "A container for pushes has no name.")
    }
    var body = Self.device(in: context)
    body["streamContainerIds"] = .array(containers.map { .string($0.rawValue) })
    body["notificationsEnabled"] = notifications.map(JSON.bool)
    self.init(.put, "register-containers", body: .object(body))
  }
}

/// The keys of the stored entity tags, one for each requested list.
enum AtomicTag {
  static let metrics = "etag.user-metrics"

  static func feed(
    _ container: ContainerID, _ filters: [CardFilter]
  ) throws(EngagementError) -> String {
    let wire = try AtomicFilters.json(filters)
    let query = wire.isEmpty ? [] : JSON.object(wire).encoded()
    return "etag.feed.\(container.rawValue)" + String(decoding: query, as: UTF8.self)
  }
}

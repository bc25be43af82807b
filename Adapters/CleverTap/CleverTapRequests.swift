import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// One call of the vendor: its path and the elements of its body after the meta element.
struct CleverTapCall {
  private var path = ["a1"]
  private let isViewed: Bool
  /// Whether the header says what the device found out about campaigns. The vendor's clients say it in
  /// batches for the main host alone.
  private let carriesReport: Bool
  private var items: [JSON] = []
  private var isHandshake = false

  /// Throws `unsupported` if the vendor lacks the call, and `invalidArgument` if it would refuse
  /// it.
  init(_ operation: Operation, _ envelope: CleverTapEnvelope) throws(EngagementError) {
    isViewed = Self.isViewed(operation)
    carriesReport = Self.carriesReport(operation)
    switch operation {
    case .settings: isHandshake = true
    case .inbox:
      path = ["inbox", "v2", "getMessages"]
      items = [envelope.fetch(.inbox)]
    case .campaigns: items = [envelope.fetch(.campaigns)]
    case .registerPush(let environment):
      items = [try envelope.token("register", environment)]
    case .unregisterPush(let environment):
      items = [try envelope.token("unregister", environment)]
    case .associate(let id): items = [envelope.profile(try CleverTapProfile.identity(id))]
    case .updatePerson(let update):
      items = [envelope.profile(try CleverTapProfile.members(of: update))]
    case .optOut(let value): items = [envelope.profile(CleverTapProfile.optOut(value))]
    case .templates(let templates):
      path = ["defineTemplates"]
      items = [try CleverTapTemplates.payload(of: templates)]
    case .act(.delete, let item), .act(.dismiss, let item):
      path = ["inbox", "v2", "deleteMessages"]
      items = [Self.deletion(of: item)]
    case .events(let events): items = try Self.items(of: events, envelope)
    case .device, .cards, .message, .person, .metrics, .act, .upload, .pushContainers, .vendor:
      throw CleverTapErrors.unsupported
    }
  }

  /// Whether the operation goes to the host for view events.
  static func isViewed(_ operation: Operation) -> Bool {
    guard case .events(let events) = operation else { return false }
    return events.first.map(CleverTapEvent.isViewed) ?? false
  }

  static func carriesReport(_ operation: Operation) -> Bool {
    switch operation {
    case .campaigns, .registerPush, .unregisterPush, .associate, .updatePerson, .optOut: true
    case .events: !isViewed(operation)
    case .settings, .device, .cards, .inbox, .message, .person, .metrics, .act, .templates, .upload,
      .pushContainers, .vendor:
      false
    }
  }

  private static func items(
    of events: [EngagementEvent], _ envelope: CleverTapEnvelope
  ) throws(EngagementError) -> [JSON] {
    let batch = try CleverTapBatch(events, envelope.memory) { envelope.application }
    return batch.entries.map { entry in
      envelope.item(
        "event", ["evtName": .string(entry.name), "evtData": .object(entry.data)],
        at: entry.event.time, in: entry.event.session ?? envelope.session(of: entry.event.kind))
    }
  }

  private static func deletion(of item: ItemReference) -> JSON {
    let campaign = CleverTapHandle(item.handle).campaign
    var message: JSONObject = ["wzrk_mid": .string(item.id.value)]
    message["wzrk_id"] = campaign["wzrk_id"]
    message["wzrk_pivot"] = campaign["wzrk_pivot"] ?? CleverTapHandle.defaultPivot
    return ["type": "deleteMessages", "messages": [.object(message)]]
  }

  // MARK: The request

  /// The operation that must be executed before the call; nil if none is missing.
  func missing(_ envelope: CleverTapEnvelope) -> Operation? {
    if isHandshake { return nil }
    if envelope.memory.guid == nil { return .device(.register) }
    return envelope.memory.needsHandshake(in: envelope.context) ? .settings : nil
  }

  func request(_ envelope: CleverTapEnvelope) throws(EngagementError) -> HTTPRequest {
    let configuration = envelope.configuration
    if isHandshake {
      return HTTPRequest(
        .get, "\(configuration.origin)/hello", headers: try handshakeHeaders(configuration))
    }
    guard let domain = envelope.memory.domain(forViewed: isViewed) else {
      throw EngagementError(.internalFailure, "The account's host is not known yet.")
    }
    let root = try HTTPURL("\(configuration.origin.scheme.rawValue)://\(domain)")
    let url = try root.appending(path: path, query: query(envelope))
    return HTTPRequest(
      .post, url.text, headers: try headers(configuration),
      body: JSON.array([envelope.meta(withReport: carriesReport)] + items).encoded())
  }

  private func query(_ envelope: CleverTapEnvelope) -> [(name: String, value: String)] {
    [
      ("os", envelope.configuration.platform.rawValue),
      ("t", String(envelope.configuration.clientRevision)),
      ("z", envelope.configuration.accountID),
      ("ts", CleverTapMemory.text(envelope.context.now) ?? "0"),
    ]
  }

  private func handshakeHeaders(
    _ configuration: CleverTapConfiguration
  ) throws(EngagementError) -> HTTPHeaders {
    var headers = try headers(configuration)
    if let host = configuration.ownHandshakeHost {
      try headers.append("X-CleverTap-Handshake-Domain", host)
    }
    return headers
  }

  /// The vendor's clients name the type of the body in the handshake too, which has none.
  private func headers(
    _ configuration: CleverTapConfiguration
  ) throws(EngagementError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    try headers.append("Content-Type", "application/json; charset=utf-8")
    try headers.append("X-CleverTap-Account-Id", configuration.accountID)
    try headers.append("X-CleverTap-Token", configuration.token)
    return headers
  }
}

extension CleverTapEnvelope {
  /// The vendor's numbers for fetches.
  fileprivate enum Fetch: Int64 {
    case campaigns = 5
    case inbox = 7
  }

  fileprivate func fetch(_ what: Fetch) -> JSON {
    item(
      "event", ["evtName": "wzrk_fetch", "evtData": ["t": .integer(what.rawValue)]],
      at: context.acceptedAt, in: context.session?.id)
  }

  /// The session of an event that names none: the launch of a user who has just come belongs to the
  /// session that began with this user.
  fileprivate func session(of kind: EngagementEvent.Kind) -> SessionID? {
    kind == .launch ? context.session?.id : nil
  }

  /// The vendor's clients repeat the time zone and the country in each.
  fileprivate func profile(_ members: JSONObject) -> JSON {
    var members = members
    members["tz"] = members["tz"] ?? .string(context.device.timeZone)
    members["cc"] = members["cc"] ?? context.device.country.map(JSON.string)
    return item(
      "profile", ["profile": .object(members)], at: context.acceptedAt, in: context.session?.id)
  }

  fileprivate func token(
    _ action: String, _ environment: PushEnvironment
  ) throws(EngagementError) -> JSON {
    guard let registration = context.push[environment] else {
      throw EngagementError(.invalidArgument, "There is no push token for \(environment).")
    }
    let data: JSON = [
      "action": .string(action), "id": .string(registration.token.revealed),
      "type": .string(registration.service.rawValue),
    ]
    return item("data", ["data": data], at: context.acceptedAt, in: context.session?.id)
  }
}

extension Device {
  /// The country of the locale; nil if it names none.
  fileprivate var country: String? {
    let parts = locale.prefix { $0 != "." && $0 != "@" }.split { $0 == "_" || $0 == "-" }
    return parts.dropFirst().last { $0.utf8.count == 2 }.map { $0.uppercased() }
  }
}

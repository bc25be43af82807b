import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The request of one operation.
struct MemoryRequests {
  private let context: AdapterContext
  private let host: String

  init(_ context: AdapterContext, _ host: String) {
    self.context = context
    self.host = host
  }

  /// A vendor call: method, path below the endpoint, body.
  private typealias Call = (method: HTTPMethod, path: [String], body: JSON?)

  /// Throws `invalidArgument` if the vendor would refuse the request, and `unauthenticated` if a
  /// signed-in user has no credential.
  func request(for operation: Operation) throws(EngagementError) -> HTTPRequest {
    let call = try call(for: operation)
    let url = try HTTPURL("https://\(host)/v1").appending(path: call.path)
    var headers = HTTPHeaders()
    if operation != .device(.register) { try sign(&headers) }
    if call.body != nil { try headers.append("Content-Type", "application/json") }
    return HTTPRequest(call.method, url.text, headers: headers, body: call.body?.encoded())
  }

  /// Adds the headers that name the device and the user.
  private func sign(_ headers: inout HTTPHeaders) throws(EngagementError) {
    let memory = MemoryValues(context)
    if let device = memory.device { try headers.append(MemoryProtocol.device, device) }
    if let token = memory.token { try headers.append(MemoryProtocol.deviceToken, token) }
    guard let user = context.user.id else { return }
    guard let credential = context.credential else {
      throw EngagementError(.unauthenticated, "A signed-in user needs a credential.")
    }
    try headers.append(MemoryProtocol.user, user.rawValue)
    try headers.append(
      MemoryProtocol.credential, Secret(MemoryProtocol.scheme + credential.revealed))
  }

  private func call(for operation: Operation) throws(EngagementError) -> Call {
    switch operation {
    case .settings: (.get, ["settings"], nil)
    case .device(.register): (.post, ["devices"], device)
    case .device(.update): (.put, ["devices", "current"], device)
    case .device(.unregister): (.delete, ["devices", "current"], nil)
    case .registerPush(let place): (.put, ["push", place.rawValue], try push(place))
    case .unregisterPush(let place): (.delete, ["push", place.rawValue], nil)
    case .cards(let container, let filters): try cards(container, filters)
    case .inbox: (.get, ["inbox"], nil)
    case .message(let id): (.get, ["inbox", id], nil)
    case .campaigns: (.get, ["campaigns"], nil)
    case .person: (.get, ["person"], nil)
    case .associate(let id): (.put, ["association"], ["user": .string(id.rawValue)])
    case .updatePerson(let update): (.patch, ["person"], try person(update))
    case .events(let events):
      (
        .post, ["events"], ["events": .array(events.map(event)), "campaigns": campaigns]
      )
    case .act(let action, let item): try act(action, item)
    case .device(.renew), .metrics, .templates, .upload, .optOut, .pushContainers, .vendor:
      throw EngagementError(.unsupported, "The vendor in memory has no such call.")
    }
  }

  private func cards(
    _ container: ContainerID?, _ filters: [CardFilter]
  ) throws(EngagementError) -> Call {
    guard let container else {
      throw EngagementError(.invalidArgument, "The vendor in memory has cards in containers only.")
    }
    guard filters.isEmpty else {
      throw EngagementError(.unsupported, "The vendor in memory has no filters.")
    }
    return (.get, ["cards", container.rawValue], nil)
  }

  private func act(_ action: ItemAction, _ item: ItemReference) throws(EngagementError) -> Call {
    switch (item.surface, action) {
    case (.cards, .dismiss): (.put, ["items", item.id.value, "dismissal"], action.json)
    case (.cards, .submit):
      (.put, ["items", item.id.value, "submissions", context.id(0)], action.json)
    case (.inbox, .read): (.put, ["inbox", item.id.value, "read"], nil)
    case (.inbox, .delete): (.delete, ["inbox", item.id.value], nil)
    default: throw EngagementError(.unsupported, "The vendor in memory has no such action.")
    }
  }

  // MARK: Bodies

  private var device: JSON {
    ["installation": .string(context.device.id), "application": .string(context.device.appID)]
  }

  private func push(_ environment: PushEnvironment) throws(EngagementError) -> JSON {
    guard let registration = context.push[environment] else {
      throw EngagementError(.invalidArgument, "There is no push token for \(environment).")
    }
    return [
      "service": .string(registration.service.rawValue),
      "token": .string(registration.token.revealed),
    ]
  }

  private func person(_ update: PersonUpdate) throws(EngagementError) -> JSON {
    var body = JSONObject()
    body["name"] = update.name.map(JSON.string)
    body["email"] = update.email.map(JSON.string)
    body["phone"] = update.phone.map(JSON.string)
    if !update.custom.isEmpty { body["custom"] = .object(update.custom) }
    guard !body.isEmpty else {
      throw EngagementError(.invalidArgument, "The vendor supports none of the fields.")
    }
    return .object(body)
  }

  /// What the device knows of campaigns.
  private var campaigns: JSON {
    let counters = context.counters
    let shown = counters.campaigns.map {
      JSONObject.Member($0.campaign, .integer(Int64($0.lifetime)))
    }
    return [
      "due": .array(context.campaignReport.due.map(JSON.string)),
      "shownToday": .integer(Int64(counters.shownToday)),
      "shown": .object(JSONObject(uniqueMembers: shown)),
    ]
  }

  private func event(_ event: EngagementEvent) -> JSON {
    var body: JSONObject = [
      "id": .string(event.id.rawValue), "kind": .string(event.kind.rawValue),
      "time": .integer(MemoryTimes.milliseconds(of: event.time)),
    ]
    body["item"] = event.item.map { .string($0.id.value) }
    body["name"] = event.name.map(JSON.string)
    if !event.properties.isEmpty { body["properties"] = .object(event.properties) }
    return .object(body)
  }
}

/// Times in the vendor's format.
enum MemoryTimes {
  /// The years 0 to 9999. Other parts of the kit cannot store times outside this range.
  private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  static func date(_ milliseconds: Int64?) -> Date? {
    guard let milliseconds, range.contains(milliseconds) else { return nil }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  static func milliseconds(of date: Date) -> Int64 {
    let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0
    return min(max(milliseconds, range.lowerBound), range.upperBound)
  }
}

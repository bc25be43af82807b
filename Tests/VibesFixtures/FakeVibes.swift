package import EngagementHTTP
import EngagementJSON
package import EngagementModel
package import EngagementTesting

/// The vendor's server in memory, written from its protocol: devices and their tokens, persons,
/// messages, and the received events.
package actor FakeVibes {
  package struct Registered {
    package var token: String
    package var push: String?
    package var person: String
  }

  package private(set) var devices: [String: Registered] = [:]
  package private(set) var registrations = 0
  /// The number of `PUT` requests, successful or not.
  package private(set) var puts = 0
  package private(set) var refusals = 0
  /// The types of the received events by id; the vendor recognises duplicates by it.
  package private(set) var events: [String: String] = [:]
  /// The device that called back, by item of a migration.
  package private(set) var callbacks: [String: String] = [:]
  private var persons: [String: String] = [:]
  private var messages: [String: [String: Message]] = [:]
  private var expired: Set<String> = []
  private var faults: [(ending: String, fault: Fault)] = []
  private var tokens = 0

  package init() {}

  package enum Fault {
    /// The server does nothing and answers with this status.
    case status(Int)
    /// The server executes the request, but the answer is lost.
    case lost
  }

  private struct Message {
    var subject: String
    var read = false
    var expiresAt: String?
  }

  /// Makes the next requests whose `METHOD path` has this ending meet these faults, one each.
  package func fail(_ ending: String, _ faults: Fault...) {
    self.faults += faults.map { (ending, $0) }
  }

  /// Gives a person messages. The list sorts them by id.
  package func seed(_ person: String, _ ids: [String]) {
    for id in ids { messages[person, default: [:]][id] = Message(subject: "About \(id)") }
  }

  /// Makes an external id known as that of a person.
  package func know(_ external: String, as person: String) { persons[external] = person }

  /// Moves the device to another person, as a server of the application can do.
  package func move(_ device: String, to person: String) { devices[device]?.person = person }

  /// Makes the server refuse every current token, except for its own renewal.
  package func expireTokens() {
    expired.formUnion(devices.values.map(\.token))
  }

  package func loseDevices() { devices = [:] }

  package func isRead(_ id: String, by person: String) -> Bool {
    messages[person]?[id]?.read ?? false
  }

  // MARK: Answering

  package nonisolated var script: ScriptedTransport.Script {
    { request throws(EngagementError) in try await self.respond(to: request) }
  }

  package func respond(to request: HTTPRequest) throws(EngagementError) -> HTTPResponse {
    if request.method == .put { puts += 1 }
    let place = faults.firstIndex { request.line.hasSuffix($0.ending) }
    switch place.map({ faults.remove(at: $0).fault }) {
    case nil: return answer(request)
    case .status(let status): return .json(status, "{}", headers: [("Retry-After", "7")])
    case .lost:
      _ = answer(request)
      throw EngagementError(.unavailable, "The connection broke.")
    }
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    let path = request.line.drop { $0 != "/" }.split(separator: "/").map(String.init)
    guard path.count >= 2, path[0] == "mobile_apps", path[1] == Vibes.appID else {
      return HTTPResponse(404)
    }
    if request.method == .post, path.count == 3 { return register() }
    return authorized(request, Array(path.dropFirst(2)))
  }

  private func register() -> HTTPResponse {
    registrations += 1
    let id = "device-\(registrations)"
    devices[id] = Registered(token: nextToken(), person: "person-of-\(id)")
    return credential(of: id)
  }

  private func authorized(_ request: HTTPRequest, _ path: [String]) -> HTTPResponse {
    let sent = request.headers.secret("Authorization")?.revealed ?? ""
    guard let id = devices.first(where: { "MobileAppToken \($0.value.token)" == sent })?.key else {
      // A replaced token cannot renew.
      return refuse(devices.isEmpty && request.method == .put ? 404 : 401)
    }
    let isRenewal = request.method == .put && path == ["devices", id]
    if expired.contains(devices[id]?.token ?? ""), !isRenewal { return refuse(401) }
    let body = try? JSON(parsing: request.body ?? [])
    return isRenewal ? renew(id) : route(request.method, path, id, body)
  }

  private func refuse(_ status: Int) -> HTTPResponse {
    refusals += 1
    return HTTPResponse(status)
  }

  private func renew(_ id: String) -> HTTPResponse {
    devices[id]?.token = nextToken()
    return credential(of: id)
  }

  private func route(
    _ method: HTTPMethod, _ path: [String], _ id: String, _ body: JSON?
  ) -> HTTPResponse {
    switch (method, path.first, path.last) {
    case (.get, nil, _): return .json(200, #"{"app_id":"\#(Vibes.appID)","inbox_enabled":true}"#)
    case (.delete, "devices", id): devices[id] = nil
    case (.patch, "devices", id): break
    case (.post, "devices", "push_registration"):
      devices[id]?.push = body?["device"]?["push_token"]?.string
    case (.delete, "devices", "push_registration"): devices[id]?.push = nil
    case (.post, "devices", "assign"): assign(id, body?["external_person_id"]?.string ?? "")
    case (.get, "devices", "person"): return person(of: id)
    case (.post, "devices", "events"): take(body?["events"]?.array ?? [])
    case (.put, "migrations", _):
      callbacks[body?["migration_item_id"]?.string ?? ""] = body?["vibes_device_id"]?.string
    case (_, "persons", _): return inbox(method, path, of: id, body)
    default: return HTTPResponse(404)
    }
    return HTTPResponse(200)
  }

  /// An unknown id becomes the id of the device's person. A known one moves the device to its
  /// person.
  private func assign(_ id: String, _ external: String) {
    guard let device = devices[id] else { return }
    devices[id]?.person = persons[external] ?? device.person
    if persons[external] == nil { persons[external] = device.person }
  }

  private func person(of id: String) -> HTTPResponse {
    let key = devices[id]?.person ?? ""
    let external = persons.first { $0.value == key }?.key
    return .json(
      200,
      #"{"person_key":"\#(key)","external_person_id":\#(external.map { "\"\($0)\"" } ?? "null"),"#
        + #""mobile_phone":{"mdn":"+1555\#(key.utf8.count)"}}"#)
  }

  private func take(_ batch: [JSON]) {
    for event in batch {
      events[event["uuid"]?.string ?? ""] = event["type"]?.string
    }
  }

  private func inbox(
    _ method: HTTPMethod, _ path: [String], of id: String, _ body: JSON?
  ) -> HTTPResponse {
    guard path.count >= 3, path[1] == devices[id]?.person else { return HTTPResponse(403) }
    let all = messages[path[1]] ?? [:]
    guard path.count == 4 else {
      let list = all.filter { $0.value.expiresAt == nil }.sorted { $0.key < $1.key }
      return .json(200, "[" + list.map { text($0.key, $0.value) }.joined(separator: ",") + "]")
    }
    guard var message = all[path[3]] else { return HTTPResponse(404) }
    if method == .put {
      message.read = body?["read"]?.bool ?? message.read
      message.expiresAt = body?["expires_at"]?.string ?? message.expiresAt
      messages[path[1]]?[path[3]] = message
    }
    return .json(200, text(path[3], message))
  }

  private func text(_ id: String, _ message: Message) -> String {
    let end = message.expiresAt.map { #","expires_at":"\#($0)""# } ?? ""
    return #"{"message_uid":"\#(id)","content":"Text of \#(id)","subject":"\#(message.subject)","#
      + #""read":\#(message.read),"created_at":"2026-09-30T08:00:00.250+02:00"\#(end),"#
      + #""apprefdata":{"activityType":"Broadcast","activityUid":"activity-\#(id)"}}"#
  }

  private func nextToken() -> String {
    tokens += 1
    return "token-\(tokens)"
  }

  private func credential(of id: String) -> HTTPResponse {
    let token = devices[id]?.token ?? ""
    return .json(200, #"{"auth_token":"\#(token)","device":{"vibes_device_id":"\#(id)"}}"#)
  }
}

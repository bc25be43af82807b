import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// Vibes in memory, from its protocol: devices with tokens that only they can renew, persons by the
/// application's ids, one inbox a person, events by their uuids.
actor VibesServer: VendorServer {
  private struct Registered {
    var token: String
    var isExpired = false
    var person: String
  }

  private var own = Belongings()
  private var devices: [String: Registered] = [:]
  /// The person of each of the application's ids.
  private var persons: [String: String] = [:]
  private var events: Set<String> = []
  private var tokens = 0
  private(set) var registrations = 0

  var effects: [VendorEffect] { own.effects }

  func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    own.put(items, in: feed, for: user)
  }

  func clear(_ feed: Feed, of user: User) { own.clear(feed, of: user) }

  func expireCredentials() { for id in devices.keys { devices[id]?.isExpired = true } }

  func speaker(of request: HTTPRequest) -> User? {
    let path = Wire.path(request.line)
    guard let index = path.firstIndex(of: "devices") ?? path.firstIndex(of: "persons"),
      path.indices.contains(index + 1)
    else { return nil }
    let person = devices[path[index + 1]]?.person ?? path[index + 1]
    return persons.first { $0.value == person }.map { User(UserID($0.key)) }
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let path = Array(Wire.path(request.line).dropFirst(2))
    if request.method == .post, path == ["devices"] { return register() }
    if request.method == .get, path.isEmpty { return .json(200, #"{"inbox_enabled":true}"#) }
    let sent = request.headers.secret("Authorization")?.revealed
    guard let id = devices.first(where: { "MobileAppToken \($0.value.token)" == sent })?.key else {
      return HTTPResponse(401)
    }
    if request.method == .put, path == ["devices", id] { return renewed(id) }
    guard devices[id]?.isExpired == false else { return HTTPResponse(401) }
    return respond(request, path, id)
  }

  private func respond(_ request: HTTPRequest, _ path: [String], _ id: String) -> HTTPResponse {
    let body = try? JSON(parsing: request.body ?? [])
    let user = user(of: id)
    switch (request.method.text, path.first, path.last) {
    case ("GET", "devices", "person"): return person(of: id)
    case ("POST", "devices", "assign"): return assign(id, body?["external_person_id"]?.string)
    case ("POST", "devices", "events"): return take(request, body?["events"]?.array ?? [], user)
    case ("DELETE", "devices", id): devices[id] = nil
    case ("PATCH", "devices", id) where body?["device"]?["os"] != nil,
      ("POST", "devices", "push_registration") where body?["device"]?["push_token"] != nil,
      ("DELETE", "devices", "push_registration"),
      ("PUT", "migrations", "callbacks") where body?["migration_item_id"] != nil:
      own.note(VendorEffect(path.last ?? "", by: user))
    case (_, "persons", _): return inbox(request, path, id, body)
    default: return HTTPResponse(404)
    }
    return HTTPResponse(200)
  }

  // MARK: Devices and persons

  private func register() -> HTTPResponse {
    registrations += 1
    devices["device-\(registrations)"] = Registered(
      token: nextToken(), person: "person-of-\(registrations)")
    return credential(of: "device-\(registrations)")
  }

  private func renewed(_ id: String) -> HTTPResponse {
    devices[id]?.token = nextToken()
    devices[id]?.isExpired = false
    return credential(of: id)
  }

  private func nextToken() -> String {
    tokens += 1
    return "canary-token-\(tokens)"
  }

  private func credential(of id: String) -> HTTPResponse {
    .json(
      200,
      #"{"auth_token":"\#(devices[id]?.token ?? "")","device":{"vibes_device_id":"\#(id)"}}"#)
  }

  /// An unknown id becomes the person's that the device is with; a known one moves the device.
  private func assign(_ id: String, _ external: String?) -> HTTPResponse {
    guard let device = devices[id], let external, (1...128).contains(external.utf8.count) else {
      return HTTPResponse(422)
    }
    devices[id]?.person = persons[external] ?? device.person
    persons[external] = persons[external] ?? device.person
    return HTTPResponse(200)
  }

  private func user(of id: String) -> User {
    let external = persons.first { $0.value == devices[id]?.person }?.key
    return external.map { User(UserID($0)) } ?? .anonymous
  }

  private func person(of id: String) -> HTTPResponse {
    let external = user(of: id).id.map { Wire.quoted($0.text) } ?? "null"
    return .json(
      200, #"{"person_key":"\#(devices[id]?.person ?? "")","external_person_id":\#(external)}"#)
  }

  // MARK: Messages and events

  private func inbox(
    _ request: HTTPRequest, _ path: [String], _ id: String, _ body: JSON?
  ) -> HTTPResponse {
    guard path.count >= 3, path[1] == devices[id]?.person else { return HTTPResponse(403) }
    let user = user(of: id)
    guard path.count == 4 else { return HTTPResponse(200, body: list(of: user)) }
    guard var message = own.item(path[3], "message_uid", in: .inbox, of: user) else {
      return HTTPResponse(404)
    }
    if request.method == .put {
      if body?["read"]?.bool == true { own.mark("read", on: path[3], by: user) }
      if body?["expires_at"] != nil { own.mark("expire", on: path[3], by: user) }
    }
    if own.has("read", on: path[3], by: user) { message["read"] = true }
    if own.has("expire", on: path[3], by: user) { message["expires_at"] = body?["expires_at"] }
    return HTTPResponse(200, body: JSON.object(message).encoded())
  }

  private func list(of user: User) -> [UInt8] {
    own.list(.inbox, of: user) { message in
      let id = message["message_uid"]?.string ?? ""
      if own.has("read", on: id, by: user) { message["read"] = true }
      return !own.has("expire", on: id, by: user)
    }
  }

  /// A batch is of one type, which a header names.
  private func take(_ request: HTTPRequest, _ batch: [JSON], _ user: User) -> HTTPResponse {
    guard let type = batch.first?["type"]?.string,
      batch.allSatisfy({ $0["type"] == .string(type) }),
      request.headers.first("X-Event-Type") == type
    else { return HTTPResponse(400) }
    for event in batch {
      let id = event["uuid"]?.string ?? ""
      guard events.insert(id).inserted else { continue }
      own.note(
        VendorEffect(
          event["type"]?.string ?? "", on: event["attributes"]?["message_uid"]?.string, by: user,
          id: "\(id) \(event["timestamp"]?.string ?? "")"))
    }
    return HTTPResponse(200)
  }
}

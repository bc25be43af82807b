public import EngagementAdapterAPI
public import EngagementHTTP
import EngagementJSON
public import EngagementModel

/// The server of the made-up vendor: devices, credentials, what each user has, and what arrived.
public actor MemoryVendor: VendorServer {
  private var devices: [String: String] = [:]
  private var madeDevices = 0
  /// The highest serial of each user's credentials so far, and the lowest that is still good.
  private var seen: [String: Int] = [:]
  private var lowest: [String: Int] = [:]
  private var people: [User: Belongings] = [:]
  private var happened: [VendorEffect] = []
  private var eventIDs: Set<EventID> = []

  private struct Belongings {
    var items: [Feed: [[UInt8]]] = [:]
    /// Actions by item, so that the same one twice is one.
    var done: Set<String> = []
    var person: JSONObject = [:]
  }

  public init() {}

  // MARK: For whoever sets it up and looks at it

  public var effects: [VendorEffect] { happened }
  public var registrations: Int { madeDevices }

  public func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    people[user, default: Belongings()].items[feed, default: []] += items
  }

  public func clear(_ feed: Feed, of user: User) { people[user]?.items[feed] = [] }

  public func expireCredentials() {
    for (user, serial) in seen { lowest[user] = serial + 1 }
  }

  /// Forgets every device, as a vendor does that cleans up.
  public func forgetDevices() { devices = [:] }

  public nonisolated func speaker(of request: HTTPRequest) async -> User? {
    if request.line == "POST /v1/devices" { return nil }
    return request.headers.first(MemoryProtocol.user).map { User(UserID($0)) } ?? .anonymous
  }

  // MARK: Answering

  public func answer(_ request: HTTPRequest) -> HTTPResponse {
    let path = request.line.split(separator: "/", omittingEmptySubsequences: false)
      .dropFirst(2).map { PercentDecoding.text($0) }
    if request.method == .post, path == ["devices"] { return register() }
    let sent = request.headers.secret(MemoryProtocol.deviceToken)?.revealed
    guard let device = request.headers.first(MemoryProtocol.device), let sent,
      devices[device] == sent
    else { return HTTPResponse(410) }
    guard let user = user(of: request) else { return HTTPResponse(401) }
    return respond(request, path, user, device)
  }

  private func register() -> HTTPResponse {
    madeDevices += 1
    devices["device-\(madeDevices)"] = "canary-token-\(madeDevices)"
    return .json(
      200, #"{"device":"device-\#(madeDevices)","token":"canary-token-\#(madeDevices)"}"#)
  }

  /// Who asks, where the credential is theirs and good.
  private func user(of request: HTTPRequest) -> User? {
    guard let name = request.headers.first(MemoryProtocol.user) else { return .anonymous }
    let sent = request.headers.secret(MemoryProtocol.credential)?.revealed ?? ""
    let start = "\(MemoryProtocol.scheme)memory.\(name)."
    guard sent.hasPrefix(start), let serial = Int(sent.dropFirst(start.count)) else { return nil }
    seen[name] = max(seen[name] ?? 0, serial)
    return serial < lowest[name] ?? 0 ? nil : User(UserID(name))
  }

  private func respond(
    _ request: HTTPRequest, _ path: [String], _ user: User, _ device: String
  ) -> HTTPResponse {
    let body = try? JSON(parsing: request.body ?? [])
    switch (request.method, path.first) {
    case (.get, "settings"): return .json(200, #"{"cards":true,"inbox":true}"#)
    case (.get, "cards"):
      return list("cards", Feed(.cards, in: path.last.map(ContainerID.init(_:))), user)
    case (.get, "inbox") where path.count == 1: return list("messages", .inbox, user)
    case (.get, "inbox"): return message(path[1], user)
    case (.get, "campaigns"): return list("campaigns", .campaigns, user)
    case (.get, "person"): return .json(200, text(person(of: user)))
    case (.patch, "person"): merge(body?.object ?? [:], into: user)
    case (.put, "association"), (.put, "push"), (.delete, "push"), (.put, "devices"):
      happened.append(VendorEffect(request.line, by: user))
    case (.delete, "devices"): devices[device] = nil
    case (.post, "events"): return take(body?["events"]?.array ?? [], user)
    case (.put, "items"), (.put, "inbox"), (.delete, "inbox"): act(request, path, user)
    default: return HTTPResponse(404)
    }
    return .json(200, "{}")
  }

  // MARK: What a user has

  private func list(_ name: String, _ feed: Feed, _ user: User) -> HTTPResponse {
    let items = people[user]?.items[feed] ?? []
    let list = items.map { state(of: $0, user) }.joined(separator: Array(",".utf8))
    return HTTPResponse(200, body: Array("{\"\(name)\":[".utf8) + list + Array("]}".utf8))
  }

  /// The item with what its user did to it: what is sound JSON is written anew.
  private func state(of item: [UInt8], _ user: User) -> [UInt8] {
    guard case .object(var object)? = try? JSON(parsing: item), let id = object["id"]?.string,
      people[user]?.done.contains("\(id) read") == true
    else { return item }
    object["read"] = true
    return JSON.object(object).encoded()
  }

  private func message(_ id: String, _ user: User) -> HTTPResponse {
    let items = people[user]?.items[.inbox] ?? []
    let found = items.first {
      (try? JSON(parsing: $0))?["id"]?.string?.hasSameBytes(as: id) == true
    }
    return found.map { HTTPResponse(200, body: state(of: $0, user)) } ?? HTTPResponse(404)
  }

  private func person(of user: User) -> JSONObject {
    var person = people[user]?.person ?? [:]
    person["key"] = .string("person of \(user.id?.text ?? "nobody")")
    person["user"] = user.id.map { .string($0.text) }
    return person
  }

  private func merge(_ update: JSONObject, into user: User) {
    for member in update.members {
      people[user, default: Belongings()].person[member.key] = member.value
    }
    happened.append(VendorEffect("person", by: user))
  }

  private func text(_ object: JSONObject) -> String {
    String(decoding: JSON.object(object).encoded(), as: UTF8.self)
  }

  // MARK: What a user does

  private func take(_ events: [JSON], _ user: User) -> HTTPResponse {
    for event in events {
      let id = EventID(event["id"]?.string ?? "")
      guard eventIDs.insert(id).inserted else { continue }
      happened.append(
        VendorEffect(
          event["kind"]?.string ?? "", on: event["item"]?.string, by: user, id: id.text,
          time: event["time"]?.integer))
    }
    return .json(200, #"{"rejected":{}}"#)
  }

  private func act(_ request: HTTPRequest, _ path: [String], _ user: User) {
    guard path.count > 1 else { return }
    let id = path[1]
    let word = path.count > 2 ? path.dropFirst(2).joined(separator: " ") : "delete"
    let mark = "\(id) \(word)"
    guard people[user, default: Belongings()].done.insert(mark).inserted else { return }
    happened.append(VendorEffect(word, on: id, by: user, id: word))
    guard ["delete", "dismissal"].contains(word) else { return }
    for feed in people[user]?.items.keys.map(\.self) ?? [] {
      people[user]?.items[feed]?.removeAll {
        (try? JSON(parsing: $0))?["id"]?.string?.hasSameBytes(as: id) == true
      }
    }
  }
}

/// Takes `%20` and its kind back to bytes, as servers read paths.
enum PercentDecoding {
  static func text(_ encoded: some StringProtocol) -> String {
    let bytes = Array(encoded.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes[(index + 1)...].prefix(2)
      if bytes[index] == UInt8(ascii: "%"), digits.count == 2,
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

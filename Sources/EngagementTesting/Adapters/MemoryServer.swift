public import EngagementAdapterAPI
import EngagementJSON
public import EngagementModel
public import EngagementPlatform
public import EngagementVendors

/// The invented vendor's server, with its devices, credentials, users' items and recorded effects.
public struct MemoryServer: VendorServer {
  public static let paths = ["/v1/…"]

  private var devices: [String: String] = [:]
  private var madeDevices = 0
  /// The highest serial of each user's credentials so far, and the lowest valid one.
  private var seen: [String: Int] = [:]
  private var lowest: [String: Int] = [:]
  private var people: [User: Belongings] = [:]
  private var happened: [VendorEffect] = []
  private var eventIDs: Set<EventID> = []

  private struct Belongings {
    var items: [Feed: [[UInt8]]] = [:]
    /// Actions by item, so that a repeated action has one effect.
    var done: Set<String> = []
    var person: JSONObject = [:]
  }

  public init(seed: UInt64?, at now: Date) {}

  // MARK: Test controls

  public var registrations: Int { madeDevices }

  public mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    people[user, default: Belongings()].items[feed, default: []] += items
  }

  public mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    people[user]?.items[feed] = []
  }

  public mutating func expireCredentials(at now: Date) {
    for (user, serial) in seen { lowest[user] = serial + 1 }
  }

  /// `{"forgetDevices": true}` forgets every device, like a vendor that removes old devices.
  public mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    let fields = try SettingFields(settings, allowed: ["forgetDevices"])
    if try fields.bool("forgetDevices") == true { devices = [:] }
  }

  public func user(of request: VendorRequest) -> User? {
    if request.method == "POST", request.path == "/v1/devices" { return nil }
    return request.header(MemoryProtocol.user).map { User(UserID($0)) } ?? .anonymous
  }

  // MARK: Answering

  public mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    happened = []
    let reply = reply(to: request)
    return VendorAnswer(reply: reply, effects: happened)
  }

  private mutating func reply(to request: VendorRequest) -> VendorReply {
    let path = Array((request.segments ?? []).dropFirst())
    if request.method == "POST", path == ["devices"] { return register() }
    guard let device = request.header(MemoryProtocol.device),
      let sent = request.header(MemoryProtocol.deviceToken), devices[device] == sent
    else { return VendorReply(410) }
    guard let user = credentialedUser(of: request) else { return VendorReply(401) }
    return respond(request, path, user, device)
  }

  private mutating func register() -> VendorReply {
    madeDevices += 1
    devices["device-\(madeDevices)"] = "canary-token-\(madeDevices)"
    return VendorReply(
      200,
      json: Array(
        #"{"device":"device-\#(madeDevices)","token":"canary-token-\#(madeDevices)"}"#.utf8))
  }

  /// The requesting user, if the credential is valid and belongs to that user.
  private mutating func credentialedUser(of request: VendorRequest) -> User? {
    guard let name = request.header(MemoryProtocol.user) else { return .anonymous }
    let sent = request.header(MemoryProtocol.credential) ?? ""
    let start = "\(MemoryProtocol.scheme)memory.\(name)."
    guard sent.hasPrefix(start), let serial = Int(sent.dropFirst(start.count)) else { return nil }
    seen[name] = max(seen[name] ?? 0, serial)
    return serial < lowest[name] ?? 0 ? nil : User(UserID(name))
  }

  private mutating func respond(
    _ request: VendorRequest, _ path: [String], _ user: User, _ device: String
  ) -> VendorReply {
    let body = try? JSON(parsing: request.body)
    switch (request.method, path.first) {
    case ("GET", "settings"):
      return VendorReply(200, json: Array(#"{"cards":true,"inbox":true}"#.utf8))
    case ("GET", "cards"):
      return list("cards", Feed(.cards, in: path.last.map(ContainerID.init(_:))), user)
    case ("GET", "inbox") where path.count == 1: return list("messages", .inbox, user)
    case ("GET", "inbox"): return message(path[1], user)
    case ("GET", "campaigns"): return campaigns(user)
    case ("GET", "person"): return VendorReply(json: .object(person(of: user)))
    case ("PATCH", "person"): merge(body?.object ?? [:], into: user)
    case ("PUT", "association"), ("PUT", "push"), ("DELETE", "push"), ("PUT", "devices"):
      happened.append(VendorEffect("\(request.method) \(request.path)", by: name(of: user)))
    case ("DELETE", "devices"): devices[device] = nil
    case ("POST", "events"):
      return take(body?["events"]?.array ?? [], due: body?["campaigns"]?["due"], user)
    case ("PUT", "items"), ("PUT", "inbox"), ("DELETE", "inbox"): act(request, path, user)
    default: return VendorReply(404)
    }
    return VendorReply(200, json: Array("{}".utf8))
  }

  // MARK: A user's items

  private func list(_ name: String, _ feed: Feed, _ user: User) -> VendorReply {
    let items = people[user]?.items[feed] ?? []
    let list = items.map { state(of: $0, user) }.joined(separator: Array(",".utf8))
    return VendorReply(200, json: Array("{\"\(name)\":[".utf8) + list + Array("]}".utf8))
  }

  private func campaigns(_ user: User) -> VendorReply {
    let lists = [Feed.campaigns, .announcedCampaigns].map { feed in
      (people[user]?.items[feed] ?? []).joined(separator: Array(",".utf8))
    }
    return VendorReply(
      200,
      json: Array(#"{"campaigns":["#.utf8) + lists[0] + Array(#"],"announced":["#.utf8) + lists[1]
        + Array("]}".utf8))
  }

  /// The item with its user's actions applied. Valid JSON is encoded again.
  private func state(of item: [UInt8], _ user: User) -> [UInt8] {
    guard case .object(var object)? = try? JSON(parsing: item), let id = object["id"]?.string,
      people[user]?.done.contains("\(id) read") == true
    else { return item }
    object["read"] = true
    return JSON.object(object).encoded()
  }

  private func message(_ id: String, _ user: User) -> VendorReply {
    let items = people[user]?.items[.inbox] ?? []
    let found = items.first {
      (try? JSON(parsing: $0))?["id"]?.string?.hasSameBytes(as: id) == true
    }
    return found.map { VendorReply(200, json: state(of: $0, user)) } ?? VendorReply(404)
  }

  private func person(of user: User) -> JSONObject {
    var person = people[user]?.person ?? [:]
    person["key"] = .string("person of \(user.id?.rawValue ?? "anonymous")")
    person["user"] = user.id.map { .string($0.rawValue) }
    return person
  }

  private mutating func merge(_ update: JSONObject, into user: User) {
    for member in update.members {
      people[user, default: Belongings()].person[member.key] = member.value
    }
    happened.append(VendorEffect("person", by: name(of: user)))
  }

  private func name(of user: User) -> String { user.id?.rawValue ?? "anonymous" }

  private func text(_ object: JSONObject) -> String {
    String(decoding: JSON.object(object).encoded(), as: UTF8.self)
  }

  // MARK: A user's actions

  private mutating func take(_ events: [JSON], due: JSON?, _ user: User) -> VendorReply {
    for event in events {
      let id = EventID(event["id"]?.string ?? "")
      guard eventIDs.insert(id).inserted else { continue }
      happened.append(
        VendorEffect(
          event["kind"]?.string ?? "", of: event["item"]?.string ?? "", by: name(of: user),
          id: id.rawValue,
          time: event["time"]?.integer))
    }
    let wanted = due?.array?.compactMap(\.string) ?? []
    let sent = (people[user]?.items[.announcedCampaigns] ?? []).filter { item in
      (try? JSON(parsing: item))?["id"]?.string.map(wanted.contains) ?? false
    }
    return VendorReply(
      200,
      json: Array(#"{"rejected":{},"due":["#.utf8) + sent.joined(separator: Array(",".utf8))
        + Array("]}".utf8))
  }

  private mutating func act(_ request: VendorRequest, _ path: [String], _ user: User) {
    guard path.count > 1 else { return }
    let id = path[1]
    let word = path.count > 2 ? path.dropFirst(2).joined(separator: " ") : "delete"
    let mark = "\(id) \(word)"
    guard people[user, default: Belongings()].done.insert(mark).inserted else { return }
    happened.append(VendorEffect(word, of: id, by: name(of: user), id: word))
    guard ["delete", "dismissal"].contains(word) else { return }
    for feed in people[user]?.items.keys.map(\.self) ?? [] {
      people[user]?.items[feed]?.removeAll {
        (try? JSON(parsing: $0))?["id"]?.string?.hasSameBytes(as: id) == true
      }
    }
  }
}

import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// CleverTap in memory, from its protocol: a handshake that names the hosts, batches behind a header
/// that says which device asks, profiles that tie a device to an identity, the inbox of a person.
actor CleverTapServer: VendorServer {
  private static let domain = "eu1.clevertap-prod.com"

  private var own = Belongings()
  /// Who each device was last told to be.
  private var identities: [String: User] = [:]

  let registrations = 0
  var effects: [VendorEffect] { own.effects }

  func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    own.put(items, in: feed, for: user)
  }

  func clear(_ feed: Feed, of user: User) { own.clear(feed, of: user) }

  /// The account's token belongs to the configuration and does not end.
  func expireCredentials() {}

  func speaker(of request: HTTPRequest) -> User? {
    let elements = (try? JSON(parsing: request.body ?? []))?.array
    guard let device = elements?.first?["g"]?.string else { return nil }
    return Self.identity(in: elements ?? []) ?? identities[device]
  }

  private static func identity(in elements: [JSON]) -> User? {
    elements.lazy.compactMap { $0["profile"]?["Identity"]?.string }.first
      .map { User(UserID($0)) }
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.headers.secret("X-CleverTap-Token") != nil,
      let account = request.headers.first("X-CleverTap-Account-Id")
    else { return HTTPResponse(401) }
    let path = Wire.path(request.line)
    if path == ["hello"] {
      return .json(
        200, "{}",
        headers: [("X-WZRK-RD", Self.domain), ("X-WZRK-SPIKY-RD", "eu1-spiky.clevertap-prod.com")])
    }
    guard let elements = (try? JSON(parsing: request.body ?? []))?.array,
      let meta = elements.first, meta["type"] == "meta", meta["id"]?.string == account,
      let device = meta["g"]?.string
    else { return HTTPResponse(400) }
    if let identity = Self.identity(in: elements) { identities[device] = identity }
    let user = identities[device] ?? .anonymous
    return respond(path, Array(elements.dropFirst()), user)
  }

  private func respond(_ path: [String], _ items: [JSON], _ user: User) -> HTTPResponse {
    switch path {
    case ["inbox", "v2", "getMessages"]:
      guard items.contains(where: { $0["evtName"] == "wzrk_fetch" }) else {
        return HTTPResponse(400)
      }
      let list = own.list(.inbox, of: user) { message in
        let id = message["_id"]?.string ?? ""
        if own.has("read", on: id, by: user) { message["isRead"] = true }
        return !own.has("delete", on: id, by: user)
      }
      return HTTPResponse(200, body: Wire.object("inbox_notifs_v2", list))
    case ["inbox", "v2", "deleteMessages"]:
      for message in items.flatMap({ $0["messages"]?.array ?? [] }) {
        own.mark("delete", on: message["wzrk_mid"]?.string ?? "", by: user)
      }
    case ["a1"]:
      for item in items { take(item, user) }
      if items.contains(where: { $0["evtName"]?.string == "wzrk_fetch" }) {
        let list = own.list(.campaigns, of: user)
        return HTTPResponse(200, body: Wire.object("inapp_notifs_cs", list))
      }
    default: return HTTPResponse(404)
    }
    return .json(200, "{}")
  }

  private func take(_ item: JSON, _ user: User) {
    let data = item["evtData"]
    let message = data?["wzrk_mid"]?.string
    own.note(
      VendorEffect(
        item["evtName"]?.string ?? item["type"]?.string ?? "", on: message, by: user,
        time: item["ep"]?.integer))
  }
}

import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// An in-memory server of CleverTap's protocol: a handshake that names the hosts, batches with a
/// header that names the device, profiles that give a device an identity, and a person's inbox.
struct OutlineCleverTapServer: VendorServer {
  static let paths: [String] = []

  private static let domain = "eu1.clevertap-prod.com"

  private var own = Belongings()
  /// The latest user of each device.
  private var identities: [String: User] = [:]

  init(seed: UInt64?, at now: Date) {}

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    own.put(items, in: feed, for: user)
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) { own.clear(feed, of: user) }

  /// The account's token belongs to the configuration and does not expire.
  mutating func expireCredentials(at now: Date) {}

  func user(of request: VendorRequest) -> User? {
    let elements = (try? JSON(parsing: request.body))?.array
    guard let device = elements?.first?["g"]?.string else { return nil }
    return Self.identity(in: elements ?? []) ?? identities[device]
  }

  private static func identity(in elements: [JSON]) -> User? {
    elements.lazy.compactMap { $0["profile"]?["Identity"]?.string }.first
      .map { User(UserID($0)) }
  }

  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    own.answer(reply(to: request))
  }

  private mutating func reply(to request: VendorRequest) -> VendorReply {
    guard request.header("X-CleverTap-Token") != nil,
      let account = request.header("X-CleverTap-Account-Id")
    else { return VendorReply(401) }
    let path = request.segments ?? []
    if path == ["hello"] {
      return VendorReply(
        200,
        headers: [("X-WZRK-RD", Self.domain), ("X-WZRK-SPIKY-RD", "eu1-spiky.clevertap-prod.com")],
        body: Array("{}".utf8))
    }
    guard let elements = (try? JSON(parsing: request.body))?.array,
      let meta = elements.first, meta["type"] == "meta", meta["id"]?.string == account,
      let device = meta["g"]?.string
    else { return VendorReply(400) }
    if let identity = Self.identity(in: elements) { identities[device] = identity }
    let user = identities[device] ?? .anonymous
    return respond(path, Array(elements.dropFirst()), user)
  }

  private mutating func respond(_ path: [String], _ items: [JSON], _ user: User) -> VendorReply {
    switch path {
    case ["inbox", "v2", "getMessages"]:
      guard items.contains(where: { $0["evtName"] == "wzrk_fetch" }) else {
        return VendorReply(400)
      }
      let list = own.list(.inbox, of: user) { message in
        let id = message["_id"]?.string ?? ""
        if own.has("read", on: id, by: user) { message["isRead"] = true }
        return !own.has("delete", on: id, by: user)
      }
      return VendorReply(200, json: SampleText.object("inbox_notifs_v2", list))
    case ["inbox", "v2", "deleteMessages"]:
      for message in items.flatMap({ $0["messages"]?.array ?? [] }) {
        own.mark("delete", on: message["wzrk_mid"]?.string ?? "", by: user)
      }
    case ["a1"]:
      for item in items { take(item, user) }
      if items.contains(where: { $0["evtName"]?.string == "wzrk_fetch" }) {
        let list = own.list(.campaigns, of: user)
        return VendorReply(200, json: SampleText.object("inapp_notifs_cs", list))
      }
    default: return VendorReply(404)
    }
    return VendorReply(200, json: Array("{}".utf8))
  }

  private mutating func take(_ item: JSON, _ user: User) {
    let data = item["evtData"]
    let message = data?["wzrk_mid"]?.string
    own.note(
      item["evtName"]?.string ?? item["type"]?.string ?? "", of: message, by: user,
      time: item["ep"]?.integer)
  }
}

import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// An in-memory server of Atomic's protocol: tokens name the user, each container is a feed, and
/// the ids of events de-duplicate them.
struct OutlineAtomicServer: VendorServer {
  static let paths: [String] = []

  private var own = Belongings()
  private var used: Set<Secret> = []
  private var expired: Set<Secret> = []
  private var events: Set<String> = []

  init(seed: UInt64?, at now: Date) {}

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    own.put(items, in: feed, for: user)
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) { own.clear(feed, of: user) }

  mutating func expireCredentials(at now: Date) { expired = used }

  func user(of request: VendorRequest) -> User? { Self.user(of: request) }

  private static func user(of request: VendorRequest) -> User? {
    token(of: request).flatMap(JWTClaims.init)?.subject(["sub"]).map { User(UserID($0)) }
  }

  private static func token(of request: VendorRequest) -> Secret? {
    guard let value = request.header("Authorization") else { return nil }
    return Secret(value.split(separator: " ").last.map(String.init) ?? "")
  }

  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    own.answer(reply(to: request))
  }

  private mutating func reply(to request: VendorRequest) -> VendorReply {
    guard let token = Self.token(of: request), let user = Self.user(of: request),
      request.header("x-atomic-sdk-api-key") != nil
    else { return VendorReply(401) }
    used.insert(token)
    guard !expired.contains(token) else { return VendorReply(401) }
    let path = request.segments ?? []
    guard path.count >= 2, path[0] == "env-1" else { return VendorReply(404) }
    switch (request.method, path[1]) {
    case ("GET", "feed") where path.count == 3: return feed(ContainerID(path[2]), user)
    case ("GET", "user-metrics"):
      return VendorReply(
        200,
        json: Array(
          #"{"aggregates":{"cards":{"total":{"active":0,"unseenCardInstanceIds":[]}}}}"#.utf8))
    default: return change(request, path[1], user)
    }
  }

  /// The required members of each call's body.
  private static let required: [String: [String]] = [
    "PUT analytics": ["data"],
    "PUT update-user": [],
    "PUT register": ["token", "deviceId", "appId", "platform"],
    "PUT register-containers": ["deviceId", "appId", "streamContainerIds"],
    "DELETE deregister-token": ["deviceId", "appId"],
    "POST dismiss": ["streamContainerId", "cardInstanceId"],
    "POST snooze": ["streamContainerId", "cardInstanceId", "interval"],
    "POST response": ["streamContainerId", "cardInstanceId", "values"],
  ]

  private mutating func change(_ request: VendorRequest, _ call: String, _ user: User)
    -> VendorReply
  {
    guard let members = Self.required["\(request.method) \(call)"] else { return VendorReply(404) }
    guard let body = try? JSON(parsing: request.body),
      members.allSatisfy({ body[$0] != nil })
    else {
      return VendorReply(400, json: Array(#"{"errors":[{"title":"Something is missing."}]}"#.utf8))
    }
    let card = body["cardInstanceId"]?.string
    switch call {
    case "analytics": take(body["data"]?.array ?? [], user)
    case "dismiss", "snooze": own.mark(call, on: card ?? "", by: user)
    // Atomic documents no de-duplication of submissions.
    default: own.note(call, of: card, by: user)
    }
    return VendorReply(200, json: Array(#"{"ok":true}"#.utf8))
  }

  private func feed(_ container: ContainerID, _ user: User) -> VendorReply {
    let cards = own.list(Feed(.cards, in: container), of: user) { card in
      let id = card["instance"]?["id"]?.string ?? ""
      return !["dismiss", "snooze"].contains { own.has($0, on: id, by: user) }
    }
    return VendorReply(200, json: SampleText.object("cardInstances", cards))
  }

  private mutating func take(_ batch: [JSON], _ user: User) {
    for event in batch {
      let id = event["id"]?.string ?? ""
      guard events.insert(id).inserted else { continue }
      own.note(
        event["analyticsEvent"]?.string ?? "",
        of: event["cardContext"]?["cardInstanceId"]?.string, by: user,
        id: "\(id) \(event["timestamp"]?.string ?? "")")
    }
  }
}

import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// Atomic in memory, from its protocol: tokens say who asks, each container is a feed, events are
/// known by their ids.
actor AtomicServer: VendorServer {
  private var own = Belongings()
  private var used: Set<Secret> = []
  private var expired: Set<Secret> = []
  private var events: Set<String> = []

  let registrations = 0
  var effects: [VendorEffect] { own.effects }

  func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    own.put(items, in: feed, for: user)
  }

  func clear(_ feed: Feed, of user: User) { own.clear(feed, of: user) }

  func expireCredentials() { expired = used }

  nonisolated func speaker(of request: HTTPRequest) async -> User? { Self.user(of: request) }

  private static func user(of request: HTTPRequest) -> User? {
    token(of: request).flatMap(JWTClaims.init)?.subject(["sub"]).map { User(UserID($0)) }
  }

  private static func token(of request: HTTPRequest) -> Secret? {
    guard let value = request.headers.secret("Authorization")?.revealed else { return nil }
    return Secret(value.split(separator: " ").last.map(String.init) ?? "")
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard let token = Self.token(of: request), let user = Self.user(of: request),
      request.headers.secret("x-atomic-sdk-api-key") != nil
    else { return HTTPResponse(401) }
    used.insert(token)
    guard !expired.contains(token) else { return HTTPResponse(401) }
    let path = Wire.path(request.line)
    guard path.count >= 2, path[0] == "env-1" else { return HTTPResponse(404) }
    switch (request.method, path[1]) {
    case (.get, "feed") where path.count == 3: return feed(ContainerID(path[2]), user)
    case (.get, "user-metrics"):
      return .json(
        200, #"{"aggregates":{"cards":{"total":{"active":0,"unseenCardInstanceIds":[]}}}}"#)
    default: return change(request, path[1], user)
    }
  }

  /// What each call's body has to hold.
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

  private func change(_ request: HTTPRequest, _ call: String, _ user: User) -> HTTPResponse {
    guard let members = Self.required["\(request.method) \(call)"] else { return HTTPResponse(404) }
    guard let body = try? JSON(parsing: request.body ?? []),
      members.allSatisfy({ body[$0] != nil })
    else { return .json(400, #"{"errors":[{"title":"Something is missing."}]}"#) }
    let card = body["cardInstanceId"]?.string
    switch call {
    case "analytics": take(body["data"]?.array ?? [], user)
    case "dismiss", "snooze": own.mark(call, on: card ?? "", by: user)
    // Nobody says that a second submission is known as one.
    default: own.note(VendorEffect(call, on: card, by: user))
    }
    return .json(200, #"{"ok":true}"#)
  }

  private func feed(_ container: ContainerID, _ user: User) -> HTTPResponse {
    let cards = own.list(Feed(.cards, in: container), of: user) { card in
      let id = card["instance"]?["id"]?.string ?? ""
      return !["dismiss", "snooze"].contains { own.has($0, on: id, by: user) }
    }
    return HTTPResponse(200, body: Wire.object("cardInstances", cards))
  }

  private func take(_ batch: [JSON], _ user: User) {
    for event in batch {
      let id = event["id"]?.string ?? ""
      guard events.insert(id).inserted else { continue }
      own.note(
        VendorEffect(
          event["analyticsEvent"]?.string ?? "",
          on: event["cardContext"]?["cardInstanceId"]?.string, by: user,
          id: "\(id) \(event["timestamp"]?.string ?? "")"))
    }
  }
}

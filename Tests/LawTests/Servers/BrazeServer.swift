import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// Braze in memory, from its protocol: whatever a request brings is said by its body, refused
/// signatures come inside a 200, and nothing is de-duplicated.
actor BrazeServer: VendorServer {
  private var own = Belongings()
  private var used: Set<Secret> = []
  private var expired: Set<Secret> = []

  let registrations = 0
  var effects: [VendorEffect] { own.effects }

  func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    own.put(items, in: feed, for: user)
  }

  func clear(_ feed: Feed, of user: User) { own.clear(feed, of: user) }

  func expireCredentials() { expired = used }

  nonisolated func speaker(of request: HTTPRequest) async -> User? { Self.user(of: request) }

  private static func user(of request: HTTPRequest) -> User {
    let body = try? JSON(parsing: request.body ?? [])
    return body?["user_id"]?.string.map { User(UserID($0)) } ?? .anonymous
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let user = Self.user(of: request)
    guard let body = try? JSON(parsing: request.body ?? []), let key = body["api_key"]?.string,
      request.headers.secret("X-Braze-Api-Key")?.revealed == key
    else { return .json(200, #"{"error":"invalid_api_key"}"#) }
    if let fault = refusal(request, user) { return fault }
    switch request.line {
    case "POST /api/v3/content_cards/sync": return HTTPResponse(201, body: sync(user, body))
    case "POST /api/v3/data/": return data(body, user)
    default: return HTTPResponse(404)
    }
  }

  /// The words that the vendor has for events; it takes no others.
  private static let words: Set<String> = [
    "ss", "se", "ce", "p", "cci", "ccic", "ccc", "ccd", "si", "sc", "sbc", "iec", "ffi", "uae",
    "sgu", "lr", "lcaa", "lcar", "inc", "add", "rem", "set", "ncam", "pc", "i", "ie",
  ]

  private func data(_ body: JSON, _ user: User) -> HTTPResponse {
    let events = body["events"]?.array ?? []
    guard events.allSatisfy({ Self.words.contains($0["name"]?.string ?? "") }) else {
      return HTTPResponse(400)
    }
    take(events, user)
    if body["attributes"] != nil { own.note(VendorEffect("attributes", by: user)) }
    // Who has this configuration already is not told it again.
    let known = body["respond_with"]?["config"]?["config_time"]?.integer ?? 0
    return .json(201, known < Self.configTime ? config : #"{"message":"success"}"#)
  }

  /// A signature that has ended is told in a success.
  private func refusal(_ request: HTTPRequest, _ user: User) -> HTTPResponse? {
    guard !user.isAnonymous else { return nil }
    guard let signature = request.headers.secret("X-Braze-Auth-Signature") else {
      return .json(200, #"{"auth_error":{"error_code":26,"reason":"Missing"}}"#)
    }
    used.insert(signature)
    guard expired.contains(signature) else { return nil }
    return .json(200, #"{"auth_error":{"error_code":22,"reason":"Expired"}}"#)
  }

  private var config: String {
    #"{"message":"success","config":{"time":\#(Self.configTime),"events_blacklist":[],"#
      + #""attributes_blacklist":[],"purchases_blacklist":[],"#
      + #""messaging_session_timeout":1800,"content_cards":{"enabled":true}}}"#
  }

  private static let configTime: Int64 = 100

  /// Everything to whoever has no watermark yet, later what may have changed since.
  private func sync(_ user: User, _ body: JSON) -> [UInt8] {
    let isFull = body["last_full_sync_at"]?.integer ?? 0 == 0
    // A dismissal is an event among others: the card is listed as before.
    return Wire.object(
      "cards", own.list(.cards, of: user),
      #","message":"success","full_sync":\#(isFull),"last_full_sync_at":100,"#
        + #""last_card_updated_at":100"#)
  }

  private func take(_ events: [JSON], _ user: User) {
    for event in events {
      let name = event["name"]?.string ?? ""
      let item = event["data"]?["ids"]?.array?.first?.string
      // The same thing at the same time is told with the same session; it has no id.
      own.note(
        VendorEffect(
          name, on: item, by: user, id: event["session_id"]?.string,
          time: event["time"]?.number.map { Int64($0 * 1_000) }))
    }
  }
}

import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Atomic: containers of action cards over HTTP and a web socket, user metrics, push registrations
/// and analytics.
///
/// Every user has all cards, and each user's actions on a card are that user's alone. Analytics events
/// are de-duplicated by their `id`, over HTTP and the socket together. A card that is closed stays
/// closed; dismissing or submitting it again changes nothing.
struct AtomicServer: VendorServer {
  static let paths = [
    "GET /{environment}/feed/{container}?filters={JSON}", "GET /{environment}/theme/{container}",
    "POST /{environment}/dismiss", "POST /{environment}/snooze", "POST /{environment}/response",
    "POST /{environment}/event", "GET /{environment}/user-metrics",
    "PUT /{environment}/update-user", "PUT /{environment}/register",
    "PUT /{environment}/register-containers", "DELETE /{environment}/deregister-token",
    "PUT /{environment}/upload/{file}?streamContainerId&cardInstanceId&filename&bucketId",
    "PUT /{environment}/analytics", "GET /{environment}/socket", "GET /socket",
  ]

  var settings = AtomicSettings()
  var cards: [AtomicServerCard]
  var users: [String: AtomicServerUser] = [:]
  /// The files that users have sent, by their ids.
  var files: [String: AtomicServerFile] = [:]
  var devices: [String: AtomicServerDevice] = [:]
  var sockets: [Int: AtomicServerSocket] = [:]
  var outputs: [VendorSocketOutput] = []
  var numbers: SeededNumbers
  /// Increases with every change that a list may show.
  var revision = 0
  /// The containers that clients have asked for.
  var knownContainers: Set<String> = []
  var registrations = 0

  private var usedTokens: Set<SHA256.Digest> = []
  private var refusedTokens: Set<SHA256.Digest> = []

  init(seed: UInt64?, at now: Date) {
    numbers = SeededNumbers(seed: (seed ?? 1) ^ 0xa70)
    cards = seed == nil ? [] : AtomicSeed.cards(&numbers, at: now)
  }

  mutating func expireCredentials(at now: Date) { refusedTokens.formUnion(usedTokens) }

  func user(of request: VendorRequest) -> User? {
    guard let token = bearer(in: request) else { return nil }
    // The claims say who it is, also of a token that has expired.
    return (try? AtomicServerToken(token, maximumAge: .max, at: .distantPast)).map {
      User(UserID($0.user))
    }
  }

  // MARK: Requests

  mutating func answer(_ call: VendorRequest, at now: Date) -> VendorAnswer {
    guard let segments = call.segments, let place = Self.place(call.method, segments) else {
      return Self.unknown(call)
    }
    if let missing = missingHeader(in: call) {
      return failure(400, "The header \(missing) is missing or too long")
    }
    guard hasAPIKey(call.header("x-atomic-sdk-api-key")) else {
      return failure(401, "Invalid API key")
    }
    let container = segments.count > 2 ? segments[2] : ""
    if place == "GET theme" { return theme(call, container) }
    do throws(AtomicServerToken.Refusal) {
      let token = try accepted(bearer(in: call) ?? "", at: now)
      return try answer(place, call, container, token.user, at: now)
    } catch {
      return failure(401, error.title)
    }
  }

  /// Method and name of a client's path; nil for what the vendor does not have.
  private static func place(_ method: String, _ segments: [String]) -> String? {
    guard segments.count >= 2 else { return nil }
    let place = "\(method) \(segments[1])"
    let length = ["GET feed", "GET theme", "PUT upload"].contains(place) ? 3 : 2
    return segments.count == length && places.contains(place) ? place : nil
  }

  private static let places: Set<String> = [
    "GET feed", "GET theme", "POST dismiss", "POST snooze", "POST response", "POST event",
    "GET user-metrics", "PUT update-user", "PUT register", "PUT register-containers",
    "DELETE deregister-token", "PUT analytics", "PUT upload",
  ]

  private mutating func answer(
    _ place: String, _ call: VendorRequest, _ name: String, _ user: String, at now: Date
  ) throws(AtomicServerToken.Refusal) -> VendorAnswer {
    if place == "GET feed" { return feed(call, name, of: user, at: now) }
    if place == "PUT upload" { return take(file: name, call, by: user, at: now) }
    if place == "GET user-metrics" { return metrics(call, of: user, at: now) }
    guard let body = (try? JSON(parsing: call.body))?.object else {
      return failure(400, "The body is no JSON object")
    }
    return switch place {
    case "POST dismiss", "POST snooze", "POST response": act(place, body, by: user, at: now)
    case "POST event": event(body, by: user)
    case "PUT update-user": updateUser(body, user)
    case "PUT register": register(body, by: user)
    case "PUT register-containers": registerContainers(body, by: user)
    case "DELETE deregister-token": deregister(body, by: user)
    case _: analytics(body, by: user)
    }
  }

  /// A refusal in the vendor's envelope; with the status 200 where the settings say so.
  func failure(_ status: Int, _ title: String) -> VendorAnswer {
    VendorAnswer(
      reply: VendorReply(
        settings.hasErrorsInOK ? 200 : status, json: ["errors": [["title": .string(title)]]]),
      summary: title)
  }

  /// An answer to a conditional request.
  func cacheable(_ body: [UInt8], for call: VendorRequest, _ summary: String) -> VendorAnswer {
    let tag = "\"\(Hex.text(of: Array(SHA256.digest(of: body).bytes.prefix(8))))\""
    let isUnchanged = call.all("If-None-Match").contains { value in
      value.split(separator: ",").contains { part in
        let part = part.filter { $0 != " " }
        return part == "*" || part == tag || part == "W/\(tag)"
      }
    }
    var reply = isUnchanged ? VendorReply(304) : VendorReply(json: body)
    reply.headers.append(("ETag", tag))
    return VendorAnswer(reply: reply, summary: isUnchanged ? "\(summary), unchanged" : summary)
  }

  // MARK: Who asks

  /// The token's user. Throws for a token that is not good, or was used before `expireCredentials`.
  mutating func accepted(
    _ text: String, at now: Date
  ) throws(AtomicServerToken.Refusal) -> AtomicServerToken {
    let token = try AtomicServerToken(text, maximumAge: settings.maximumTokenAge, at: now)
    guard !isRefused(token) else { throw .expired }
    usedTokens.insert(token.fingerprint)
    if users[token.user] == nil { users[token.user] = AtomicServerUser() }
    return token
  }

  /// Whether a token was used before `expireCredentials`.
  func isRefused(_ token: AtomicServerToken) -> Bool { refusedTokens.contains(token.fingerprint) }

  func hasAPIKey(_ key: String?) -> Bool {
    guard let key, !key.isEmpty else { return false }
    return settings.apiKey == nil || settings.apiKey == key
  }

  private func bearer(in call: VendorRequest) -> String? {
    let scheme = "Bearer "
    guard let value = call.header("Authorization"), value.hasPrefix(scheme) else { return nil }
    return String(value.dropFirst(scheme.utf8.count))
  }

  /// The first header of the vendor's clients that a request does not have as they send it.
  private func missingHeader(in call: VendorRequest) -> String? {
    guard settings.isStrict else { return nil }
    for name in ["platform", "version", "timezone", "device", "instance-id", "client-app-version"] {
      let value = call.header("x-atomic-sdk-\(name)") ?? ""
      let limit = name == "client-app-version" ? 128 : Int.max
      guard (1...limit).contains(value.count) else { return "x-atomic-sdk-\(name)" }
    }
    let type = call.header("Content-Type") ?? ""
    let isKnown = type.hasPrefix("application/json") || AtomicServerFile.types[type] != nil
    return isKnown ? nil : "Content-Type"
  }

  /// Whether there may be a container of this id.
  func hasContainer(_ id: String) -> Bool {
    if let containers = settings.containers { return containers.contains(id) }
    return (1...64).contains(id.utf8.count) && id.utf8.allSatisfy(AtomicServerToken.isOfToken)
  }
}

import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Braze: cards with watermarks, the data endpoint, SDK authentication.
///
/// Nothing here is de-duplicated, since Braze does not: an event that comes twice happened twice.
struct BrazeServer: VendorServer {
  static let paths = [
    "POST /api/v3/content_cards/sync", "POST /api/v3/data", "POST /api/v3/template",
  ]

  var settings: BrazeSettings
  var cards: [BrazeCard]
  /// What was taken away, and when: the tombstones of later deltas.
  var removed: [(id: String, stamp: Int64)] = []
  var profiles: [String: BrazeProfile] = [:]
  var devices: [String: KnownBrazeDevice] = [:]
  var numbers: SeededNumbers
  /// The stamp of the last change. Every change has its own, so that none hides behind another's
  /// in the same second. Stamps begin a day back, so that none is ahead of the clock.
  private(set) var lastStamp: Int64

  /// The tokens that were accepted, and those of them that have been expired since.
  private var usedTokens: Set<Secret> = []
  private var expiredTokens: Set<Secret> = []

  init(seed: UInt64?, at now: Date) {
    numbers = SeededNumbers(seed: seed ?? 1)
    let time = Self.seconds(now)
    cards = seed == nil ? [] : BrazeSeed.cards(&numbers, at: time)
    lastStamp = time - Self.stampLag
    settings = BrazeSettings(changedAt: lastStamp)
  }

  mutating func answer(_ call: VendorRequest, at now: Date) -> VendorAnswer {
    guard let segments = call.segments, call.method == "POST", segments.prefix(2) == ["api", "v3"]
    else { return Self.unknown(call) }
    switch segments.dropFirst(2).joined(separator: "/") {
    case "content_cards/sync": return answer(call, at: now) { $0.sync($1, at: now) }
    case "data": return answer(call, at: now) { $0.data($1, at: now) }
    case "template": return answer(call, at: now) { $0.template($1) }
    default: return Self.unknown(call)
    }
  }

  private mutating func answer(
    _ call: VendorRequest, at now: Date, _ body: (inout BrazeServer, BrazeRequest) -> VendorAnswer
  ) -> VendorAnswer {
    guard let json = try? JSON(parsing: call.body), let object = json.object else {
      return VendorAnswer(
        reply: VendorReply(400, json: ["message": "The request is not a JSON object"]),
        summary: "unreadable request")
    }
    let request = BrazeRequest(object, call)
    if let error = settings.refusal(of: request) {
      return VendorAnswer(
        reply: VendorReply(json: ["message": "error", "error": .string(error)]), summary: error)
    }
    let failure = authenticationFailure(of: request, at: now)
    if let failure, settings.authentication == .required {
      return VendorAnswer(
        reply: VendorReply(json: ["message": "error", "auth_error": failure.json(request, now)]),
        summary: "authentication error \(failure.code)")
    }
    welcome(request)
    var handled = body(&self, request)
    if let failure { handled.reply.add("optional_auth_error", failure.json(request, now)) }
    return handled
  }

  private mutating func authenticationFailure(
    of request: BrazeRequest, at now: Date
  ) -> BrazeAuthenticationFailure? {
    let failure = settings.authenticationFailure(of: request, at: now)
    guard failure == nil, settings.authentication != .off, request.userID != nil,
      let token = request.signature
    else { return failure }
    usedTokens.insert(token)
    return expiredTokens.contains(token) ? .expired : nil
  }

  mutating func expireCredentials(at now: Date) { expiredTokens = usedTokens }

  func user(of request: VendorRequest) -> User? {
    let body = (try? JSON(parsing: request.body))?.object
    return BrazeRequest(body ?? [:], request).person
  }

  /// Notes who is there. What a device did before anyone signed in becomes the first user's.
  private mutating func welcome(_ request: BrazeRequest) {
    var device = devices[request.device] ?? KnownBrazeDevice()
    let anonymous = BrazeRequest.anonymous(request.device)
    if let user = request.userID, profiles[user] == nil, device.user == nil {
      profiles[user] = profiles.removeValue(forKey: anonymous)
    }
    // What an anonymous user began, the first user continues.
    if device.user != nil, device.user != request.userID { device.session = nil }
    device.user = request.userID
    devices[request.device] = device
    if profiles[request.user] == nil { profiles[request.user] = BrazeProfile() }
  }

  /// A stamp for a change that happens now.
  mutating func stamp(_ now: Date) -> Int64 {
    lastStamp = max(Self.seconds(now) - Self.stampLag, lastStamp + 1)
    return lastStamp
  }

  private static let stampLag: Int64 = 86_400

  static func seconds(_ date: Date) -> Int64 { Epoch.wholeSeconds(of: date) ?? 0 }
}

extension VendorReply {
  /// Adds a member to a body that is a JSON object.
  mutating func add(_ key: String, _ value: JSON) {
    guard var object = (try? JSON(parsing: body))?.object else { return }
    object[key] = value
    body = JSON.object(object).encoded()
  }
}

import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The values that the adapter has stored, and their keys.
///
/// The vendor's settings and its rate limits belong to the installation. Watermarks, dismissals,
/// the known device and refused signatures belong to the user.
struct BrazeMemory {
  private let values: ScopedValues<String>

  init(_ values: ScopedValues<String>) { self.values = values }

  /// The vendor's time of the stored settings; nil before the first settings.
  var configTime: Int64? { integer(.installation, "config.time") }
  var cardsEnabled: Bool? { integer(.installation, "cards.enabled").map { $0 == 1 } }
  /// The digest of the signed-in user that the vendor saw last on this device.
  var lastUser: String? { values[.installation, "user.last"] }
  /// The names of events, products and attributes that the vendor refuses.
  var blocklists: BrazeBlocklists { BrazeBlocklists(values[.installation, "blocked"]) }

  /// The state of a limit; nil for no limit.
  func bucket(_ limit: Limit) -> BrazeBucket? {
    guard let capacity = integer(.installation, limit.key("capacity")),
      let refill = integer(.installation, limit.key("refill"))
    else { return nil }
    return BrazeBucket(
      capacity: capacity, refill: refill, fullAt: integer(.installation, limit.key("fullAt")))
  }

  /// A rate limit of the vendor.
  enum Limit: String, CaseIterable {
    /// Refreshes that the user asks for.
    case refreshes = "bucket"
    /// Requests of any kind.
    case requests = "bucket.all"
    /// Requests to one endpoint.
    case data = "bucket.data"
    case cards = "bucket.cards"

    func key(_ name: String) -> String { "\(rawValue).\(name)" }
  }

  /// How long to wait after failures; nil if the settings do not say.
  var backoff: BrazeBackoff? { BrazeBackoff(values[.installation, "backoff"]) }

  /// When the endpoint last answered, in milliseconds since 1970.
  func lastAnswer(at endpoint: BrazeEndpoint) -> Int64? {
    integer(.installation, "answered.\(endpoint)")
  }

  /// How many answers of the endpoint in a row were failures.
  func failures(at endpoint: BrazeEndpoint) -> Int64 {
    integer(.installation, "failed.\(endpoint)") ?? 0
  }

  /// The environments whose push token the vendor has.
  var registeredPush: [PushEnvironment] {
    PushEnvironment.allCases.filter { values[.installation, Self.push($0)] != nil }
  }

  /// Whether the vendor has the token of another environment and not that of this one.
  func isPushOfOther(than environment: PushEnvironment) -> Bool {
    !registeredPush.isEmpty && !registeredPush.contains(environment)
  }

  private static func push(_ environment: PushEnvironment) -> String {
    "push.\(environment.rawValue)"
  }

  /// The cards whose dismissal the vendor knows and that it still lists.
  var dismissed: [String] { Self.names(in: values[.user, "cards.dismissed"]) }

  /// The watermarks of the last sync. Zero after a change of version, which requests a full sync.
  func watermarks(for version: String) -> (full: Int64, updated: Int64) {
    guard values[.user, "cards.version"]?.hasSameBytes(as: version) == true else { return (0, 0) }
    return (integer(.user, "cards.fullSyncAt") ?? 0, integer(.user, "cards.updatedAt") ?? 0)
  }

  /// The digest of the device data that the vendor has.
  var sentDevice: String? { values[.user, "device.sent"] }
  /// How many signatures in a row the vendor refused.
  var refusals: Int64 { integer(.user, "auth.refusals") ?? 0 }
  /// The digest of the last refused signature.
  var refusedSignature: String? { values[.user, "auth.refused"] }

  private func integer(_ scope: Scope, _ key: String) -> Int64? {
    values[scope, key].flatMap { Int64($0) }
  }
}

// MARK: Remembering

extension BrazeMemory {
  /// A digest that identifies a user, so that no user id is among the installation's values.
  static func digest(of user: User) -> String? { user.id.map { digest(of: $0.rawValue) } }

  /// A digest that identifies a text without revealing it.
  static func digest(of text: String) -> String {
    String(SHA256.digest(of: text).description.prefix(16))
  }

  static func lastUser(_ digest: String) -> Change { .keep(.installation, "user.last", digest) }

  static func config(
    time: Int64, cardsEnabled: Bool, blocklists: BrazeBlocklists, backoff: BrazeBackoff?
  ) -> [Change] {
    [
      .keep(.installation, "backoff", backoff?.text),
      .keep(.installation, "config.time", String(time)),
      .keep(.installation, "cards.enabled", cardsEnabled ? "1" : "0"),
      .keep(.installation, "blocked", blocklists.text),
    ]
  }

  /// Stores a limit from the settings. Tokens that were taken stay taken.
  static func limit(_ limit: Limit, _ bucket: BrazeBucket?) -> [Change] {
    [
      .keep(.installation, limit.key("capacity"), bucket.map { String($0.capacity) }),
      .keep(.installation, limit.key("refill"), bucket.map { String($0.refill) }),
    ]
  }

  static func taken(_ limit: Limit, from bucket: BrazeBucket) -> Change {
    .keep(.installation, limit.key("fullAt"), bucket.fullAt.map { String($0) })
  }

  static func answered(_ endpoint: BrazeEndpoint, at now: Date) -> [Change] {
    [.keep(.installation, "answered.\(endpoint)", Epoch.milliseconds(of: now).map { String($0) })]
  }

  static func failed(_ endpoint: BrazeEndpoint, times count: Int64) -> [Change] {
    [.keep(.installation, "failed.\(endpoint)", count == 0 ? nil : String(count))]
  }

  /// The vendor's device has one token: that of the environment, or none.
  static func registered(_ environment: PushEnvironment?) -> [Change] {
    PushEnvironment.allCases.map {
      .keep(.installation, push($0), $0 == environment ? "1" : nil)
    }
  }

  /// Stores the latest dismissals, more than a vendor lists.
  static func dismissed(_ ids: [String]) -> Change {
    .keep(.user, "cards.dismissed", text(of: Array(ids.suffix(mostDismissed))))
  }

  private static let mostDismissed = 500

  /// The names as one text; nil for none.
  static func text(of names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    return String(decoding: JSON.array(names.map(JSON.string)).encoded(), as: UTF8.self)
  }

  static func names(in text: String?) -> [String] {
    guard let text, let json = try? JSON(parsing: Array(text.utf8)) else { return [] }
    return json.array?.compactMap(\.string) ?? []
  }

  static func watermarks(full: Int64?, updated: Int64?, version: String) -> [Change] {
    [
      .keep(.user, "cards.fullSyncAt", full.map { String($0) }),
      .keep(.user, "cards.updatedAt", updated.map { String($0) }),
      .keep(.user, "cards.version", version),
    ]
  }

  /// Deletes the watermarks, so that the next sync is a full one.
  static let noWatermarks: [Change] = [
    .keep(.user, "cards.fullSyncAt", nil), .keep(.user, "cards.updatedAt", nil),
  ]

  static func sentDevice(_ digest: String) -> Change { .keep(.user, "device.sent", digest) }

  static func refused(_ signature: String?, times count: Int64) -> [Change] {
    [
      .keep(.user, "auth.refusals", count == 0 ? nil : String(count)),
      .keep(.user, "auth.refused", signature),
    ]
  }
}

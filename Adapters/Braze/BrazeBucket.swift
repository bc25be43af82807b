import EngagementFormats
import EngagementJSON
import EngagementPlatform

/// A rate limit of the vendor: a token bucket that regains one token per interval.
///
/// The bucket stores the time at which it is full again, so it never rounds a fraction of a token.
struct BrazeBucket: Hashable {
  /// The greatest number of tokens, at least one.
  let capacity: Int64
  /// Milliseconds until one token is back.
  let refill: Int64
  /// Milliseconds since 1970; nil if no token was taken yet.
  private(set) var fullAt: Int64?

  init(capacity: Int64, refill: Int64, fullAt: Int64? = nil) {
    // The bounds are beyond any vendor's limits. They keep products from overflowing.
    self.capacity = min(max(capacity, 1), 10_000)
    self.refill = min(max(refill, 1), 86_400_000)
    self.fullAt = fullAt
  }

  /// When the next token is available; nil if there is one now.
  func nextToken(at now: Date) -> Date? {
    let now = Epoch.milliseconds(of: now) ?? 0
    let next = whenFull(at: now) - (capacity - 1) * refill
    return next <= now ? nil : Epoch.date(milliseconds: next)
  }

  /// How many whole tokens there are.
  func tokens(at now: Date) -> Int64 {
    let now = Epoch.milliseconds(of: now) ?? 0
    let missing = whenFull(at: now) - now
    return max(0, capacity - (missing + refill - 1) / refill)
  }

  mutating func take(at now: Date) {
    let now = Epoch.milliseconds(of: now) ?? 0
    fullAt = min(whenFull(at: now) + refill, now + capacity * refill)
  }

  /// When the bucket is full. At most the time that an empty one needs, so a clock that was set
  /// back does not lock the user out.
  private func whenFull(at now: Int64) -> Int64 {
    min(max(fullAt ?? now, now), now + capacity * refill)
  }
}

// MARK: From the settings

extension BrazeBucket {
  /// The limit for refreshes by the user; nil for none. The defaults are those of the vendor's own
  /// client. Settings for other clients have the seconds between two refreshes instead of a bucket.
  static func refreshes(in cards: JSONFields?) -> BrazeBucket? {
    if let limit = cards?.fields("rate_limit") {
      return BrazeBucket(limit, capacity: 5, refill: 90)
    }
    guard let seconds = cards?.number("refresh_rate_limit") else { return nil }
    return BrazeBucket(capacity: 1, seconds: seconds)
  }

  /// The limit for all requests; nil for none. A capacity below ten means none, as in the vendor's
  /// clients.
  static func requests(in config: JSONFields) -> BrazeBucket? {
    let limit = config.fields("global_request_rate_limit").flatMap {
      BrazeBucket($0, capacity: 30, refill: 30)
    }
    return limit.flatMap { $0.capacity < 10 ? nil : $0 }
  }

  /// The limit for one endpoint beside that for all; nil for none. Nothing has a default value.
  static func requests(
    in config: JSONFields, to endpoint: BrazeEndpoint
  ) -> BrazeBucket? {
    let limits = config.fields("global_request_rate_limit")
    guard limits?.flag("enabled") == true,
      let limit = limits?.fields("endpoint_overrides")?.fields(JSONKey(endpoint.rawValue)),
      let capacity = limit.number("capacity"), let refill = limit.number("refill_rate")
    else { return nil }
    return BrazeBucket(capacity: capacity, seconds: refill)
  }

  private init?(_ limit: JSONFields, capacity: Double, refill: Double) {
    guard limit.flag("enabled") == true else { return nil }
    self.init(
      capacity: limit.number("capacity") ?? capacity,
      seconds: limit.number("refill_rate") ?? refill)
  }

  /// Nil if one of the values is not positive: then the vendor sets no limit.
  private init?(capacity: Double, seconds: Double) {
    guard capacity > 0, seconds > 0 else { return nil }
    self.init(
      capacity: Int64(min(capacity, 1e6)), refill: Int64(min(seconds, 1e6) * 1_000))
  }
}

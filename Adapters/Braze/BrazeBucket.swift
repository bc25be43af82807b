import EngagementFormats
import EngagementJSON
import FoundationEssentials

/// How often something may be asked for: the vendor's bucket of tokens, one back every so often.
///
/// The bucket is kept as the time at which it is full again, so that no fraction of a token is
/// ever rounded.
struct BrazeBucket: Hashable {
  /// The most tokens, at least one.
  let capacity: Int64
  /// Milliseconds for one token.
  let refill: Int64
  /// Milliseconds since 1970; nil for a bucket that nobody has taken from.
  private(set) var fullAt: Int64?

  init(capacity: Int64, refill: Int64, fullAt: Int64? = nil) {
    // Bounds that no vendor needs, so that no product overflows.
    self.capacity = min(max(capacity, 1), 10_000)
    self.refill = min(max(refill, 1), 86_400_000)
    self.fullAt = fullAt
  }

  /// When there is a token again; nil when there is one now.
  func nextToken(at now: Date) -> Date? {
    let now = Epoch.milliseconds(of: now) ?? 0
    let next = whenFull(at: now) - (capacity - 1) * refill
    return next <= now ? nil : Epoch.date(milliseconds: next)
  }

  mutating func take(at now: Date) {
    let now = Epoch.milliseconds(of: now) ?? 0
    fullAt = min(whenFull(at: now) + refill, now + capacity * refill)
  }

  /// When the bucket is full, never longer from now than an empty one takes: a clock that was set
  /// back must not lock the user out.
  private func whenFull(at now: Int64) -> Int64 {
    min(max(fullAt ?? now, now), now + capacity * refill)
  }
}

// MARK: As the settings have it

extension BrazeBucket {
  /// The limit of refreshes that a user asks for; nil for none. The vendor's own client has these
  /// defaults. Settings of another client name the seconds between two refreshes and no bucket.
  static func refreshes(in cards: JSONFields?) -> BrazeBucket? {
    if let limit = cards?.fields("rate_limit") {
      return BrazeBucket(limit, capacity: 5, refill: 90)
    }
    guard let seconds = cards?.number("refresh_rate_limit") else { return nil }
    return BrazeBucket(capacity: 1, seconds: seconds)
  }

  /// The limit of requests of any kind; nil for none, and where the settings leave out how long
  /// a token takes.
  static func requests(in config: JSONFields) -> BrazeBucket? {
    config.fields("global_request_rate_limit").flatMap {
      BrazeBucket($0, capacity: 30, refill: 0)
    }
  }

  private init?(_ limit: JSONFields, capacity: Double, refill: Double) {
    guard limit.flag("enabled") == true else { return nil }
    self.init(
      capacity: limit.number("capacity") ?? capacity,
      seconds: limit.number("refill_rate") ?? refill)
  }

  /// Nil where one of them is not above zero: the vendor means no limit.
  private init?(capacity: Double, seconds: Double) {
    guard capacity > 0, seconds > 0 else { return nil }
    self.init(
      capacity: Int64(min(capacity, 1e6)), refill: Int64(min(seconds, 1e6) * 1_000))
  }
}

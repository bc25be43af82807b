public import EngagementPlatform

/// Makes UUIDs of version 7, each greater than the one before, even if the clock goes back.
///
/// Implements method 1 of RFC 9562, section 6.2: the 12 bits after the time count within one
/// millisecond. The counter starts at a random number below 2,048, so at least that many ids fit.
/// If the counter is full, the time moves one millisecond ahead of the clock. While the clock is at
/// or behind the last time, the sequence keeps that time and increases the counter.
public struct UUIDv7Sequence: Sendable {
  private var milliseconds: UInt64 = 0
  private var count: UInt64 = 0

  /// A sequence that has not made an id yet.
  public init() {}

  /// The next id, greater than all earlier ids. It has the millisecond of `date`, unless the clock
  /// is behind or the counter is full.
  ///
  /// Uses the last 11 bits of `random.high` and the last 62 of `random.low`.
  public mutating func next(at date: Date, random: (high: UInt64, low: UInt64)) -> UUID {
    let now = UUID.version7Milliseconds(of: date)
    if now > milliseconds {
      milliseconds = now
      count = random.high & 0x7ff
    } else if count < 0xfff {
      count += 1
    } else {
      milliseconds += 1
      count = random.high & 0x7ff
    }
    return UUID(milliseconds: milliseconds, random: (count, random.low))
  }
}

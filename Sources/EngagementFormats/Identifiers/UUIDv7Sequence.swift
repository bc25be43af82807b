public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID

/// UUIDs of version 7, each greater than the one before, whatever the clock does.
///
/// Method 1 of RFC 9562, section 6.2: the 12 bits after the time count within one millisecond.
/// The count begins at a random number below 2,048, so that at least that many ids fit; when it
/// is full, the time moves one millisecond ahead of the clock. While the clock stands still, goes
/// back or is behind, the last time is kept and the count goes on.
public struct UUIDv7Sequence: Sendable {
  private var milliseconds: UInt64 = 0
  private var count: UInt64 = 0

  /// A sequence that no id has been taken from.
  public init() {}

  /// The next id: later than all before it and, unless the clock is behind, of this millisecond.
  ///
  /// Of `random`, the last 11 bits of `high` and the last 62 of `low` are used.
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

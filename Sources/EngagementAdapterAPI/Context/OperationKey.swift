import EngagementFormats

import struct FoundationEssentials.UUID

/// 128 random bits that stand for one operation over all its attempts.
public struct OperationKey: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  /// Takes bits that the caller drew at random.
  public init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The n-th id that follows from the key, as a UUID of version 8 in lower case.
  ///
  /// Ids of one key differ from each other and, for random keys, from those of any other.
  public func id(_ index: Int) -> String {
    let step = UInt64(bitPattern: Int64(index))
    let first = mixed(high ^ mixed(step))
    let second = mixed(low ^ mixed(~step))
    return UUID(version8: (high: first, low: second)).text
  }

  /// The key of what this key's operation needs first.
  public var next: OperationKey { OperationKey(mixed(high), mixed(~low)) }

  /// The key itself in 32 lower-case hex digits.
  public var text: String {
    UUID(bits: (high: high, low: low)).text.filter { $0 != "-" }
  }

  /// One round of splitmix64: a bijection that spreads every bit.
  private func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

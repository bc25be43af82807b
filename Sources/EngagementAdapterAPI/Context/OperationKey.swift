import EngagementFormats
import EngagementModel
import EngagementPlatform

/// 128 random bits that identify one operation in all its attempts.
public struct OperationKey: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  /// Takes random bits from the caller.
  public init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The id with that index, derived from the key, as a UUID of version 8 in lower case.
  ///
  /// The ids of one key differ from each other and, for random keys, from those of any other key.
  public func id(_ index: Int) -> String {
    let step = UInt64(bitPattern: Int64(index))
    let first = SplitMix64.mixed(high ^ SplitMix64.mixed(step))
    let second = SplitMix64.mixed(low ^ SplitMix64.mixed(~step))
    return UUID(version8: (high: first, low: second)).text
  }

  /// The key of an operation that this one needs first.
  public var next: OperationKey { OperationKey(SplitMix64.mixed(high), SplitMix64.mixed(~low)) }

  /// The key in 32 lower-case hex digits.
  public var text: String {
    UUID(bits: (high: high, low: low)).text.filter { $0 != "-" }
  }

  /// Reads what `text` gives; nil for anything else.
  init?(text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 32, digits.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high, low)
  }
}

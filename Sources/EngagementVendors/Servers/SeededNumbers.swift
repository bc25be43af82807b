import EngagementModel

/// Numbers that look random and follow from a seed.
public struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Two generators with one seed give the same numbers.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  public mutating func next() -> UInt64 { generator.next() }

  /// So many lower-case hexadecimal digits.
  public mutating func hex(_ count: Int) -> String {
    var text = ""
    while text.utf8.count < count {
      let digits = String(next(), radix: 16)
      text += String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
    return String(text.prefix(count))
  }

  /// An identifier in the form of a UUID of version 4.
  public mutating func uuid() -> String {
    let digits = Array(hex(32).utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    return
      "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-a\(part(17..<20))-\(part(20..<32))"
  }
}

/// Numbers that look random and follow from the seed: SplitMix64, by Steele, Lea and Flood.
struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// So many lower-case hexadecimal digits.
  mutating func hex(_ count: Int) -> String {
    var text = ""
    while text.utf8.count < count {
      let digits = String(next(), radix: 16)
      text += String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
    return String(text.prefix(count))
  }

  /// An identifier in the form of a UUID of version 4.
  mutating func uuid() -> String {
    let digits = Array(hex(32).utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    return
      "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-a\(part(17..<20))-\(part(20..<32))"
  }
}

/// Numbers that look random and follow from a seed: SplitMix64, by Steele, Lea and Flood.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    defer { state &+= Self.increment }
    return Self.mixed(state)
  }

  /// One round: a bijection that spreads every bit.
  package static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ increment
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  private static let increment: UInt64 = 0x9e37_79b9_7f4a_7c15
}

/// Pseudo-random numbers that are the same for the same seed on every machine: SplitMix64, by
/// Steele, Lea and Flood.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, but not including, the bound; 0 if the bound is 0.
  public mutating func below(_ bound: Int) -> Int {
    bound > 0 ? Int(truncatingIfNeeded: next() % UInt64(bound)) : 0
  }

  /// One of the choices. There must be at least one.
  public mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }

  /// True with that probability in percent.
  public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}

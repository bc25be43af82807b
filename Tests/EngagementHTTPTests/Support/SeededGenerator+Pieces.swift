import TestSupport

extension SeededGenerator {
  /// The bytes cut at random into pieces, empty ones among them.
  mutating func cut(_ bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(
        chance(50) ? Int.random(in: 0...3, using: &self) : Int.random(in: 0...200, using: &self))
      pieces.append(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}

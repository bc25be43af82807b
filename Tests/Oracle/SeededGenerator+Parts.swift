import TestSupport

extension SeededGenerator {
  /// A range of the bytes. Short ranges are more frequent than long ones.
  mutating func part(of bytes: [UInt8]) -> Range<Int> {
    let start = below(bytes.count)
    let longest = next() % 4 == 0 ? bytes.count - start : 16
    return start..<min(bytes.count, start + 1 + below(longest))
  }
}

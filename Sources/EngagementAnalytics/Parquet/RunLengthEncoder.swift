/// Writes small numbers as the hybrid that Parquet has: eight or more of one number as a run, others
/// as groups of eight that are packed bit by bit.
struct RunLengthEncoder {
  /// How many bits a number takes.
  let width: Int
  private(set) var bytes: [UInt8] = []

  init(width: Int) { self.width = width }

  mutating func appendRun(of value: UInt16, count: Int) {
    bytes.append(unsigned: UInt64(count) << 1)
    bytes.append(UInt8(truncatingIfNeeded: value))
    if width > 8 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
  }

  /// Appends groups of eight numbers of one bit.
  mutating func appendGroups(_ groups: [UInt8]) {
    bytes.append(unsigned: UInt64(groups.count) << 1 | 1)
    bytes += groups
  }

  mutating func append(_ values: [UInt16]) {
    // The values from here to the position wait to be packed.
    var first = 0
    var position = 0
    while position < values.count {
      let run = Self.run(in: values, from: position)
      if run >= 8 {
        pack(values, from: first, to: position)
        appendRun(of: values[position], count: run)
        position += run
        first = position
      } else {
        position = min(position + 8, values.count)
      }
    }
    pack(values, from: first, to: position)
  }

  private static func run(in values: [UInt16], from position: Int) -> Int {
    var end = position + 1
    while end < values.count, values[end] == values[position] { end += 1 }
    return end - position
  }

  /// The last group is filled up with zeros.
  private mutating func pack(_ values: [UInt16], from first: Int, to end: Int) {
    guard first < end else { return }
    let groups = (end - first + 7) / 8
    bytes.append(unsigned: UInt64(groups) << 1 | 1)
    let target = bytes.count + groups * width
    var (bits, bitCount) = (0 as UInt64, 0)
    for index in first..<end {
      bits |= UInt64(values[index]) << UInt64(bitCount)
      bitCount += width
      while bitCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        bitCount -= 8
      }
    }
    if bitCount > 0 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
    while bytes.count < target { bytes.append(0) }
  }
}

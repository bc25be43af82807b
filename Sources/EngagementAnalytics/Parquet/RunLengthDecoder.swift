import EngagementModel

/// Reads the small numbers that Parquet has as runs and as packed bits.
struct RunLengthDecoder {
  private let width: Int
  private var position: Int
  private let end: Int
  /// How many numbers of the run are left.
  private var left = 0
  /// The number that a run repeats; nil for packed ones.
  private var repeated: UInt32?
  /// The place of the next packed number, in bits.
  private var bit = 0

  /// - Parameter width: How many bits a number takes, at most 32.
  init(width: Int, from position: Int, to end: Int) {
    self.width = width
    self.position = position
    self.end = end
  }

  mutating func next(in bytes: [UInt8]) throws(EngagementError) -> UInt32 {
    while left == 0 { try beginRun(in: bytes) }
    left -= 1
    if let repeated { return repeated }
    defer { bit += width }
    return packed(in: bytes)
  }

  private mutating func beginRun(in bytes: [UInt8]) throws(EngagementError) {
    guard let header = bytes.unsigned(at: &position, before: end),
      header <= UInt64(UInt32.max)
    else { throw Self.cut }
    if header & 1 == 0 {
      let size = (width + 7) / 8
      guard end - position >= size else { throw Self.cut }
      repeated = (0..<size).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32($1 * 8) }
      position += size
      left = Int(header >> 1)
    } else {
      let size = Int(header >> 1) * width
      guard end - position >= size else { throw Self.cut }
      repeated = nil
      bit = position * 8
      position += size
      left = Int(header >> 1) * 8
    }
  }

  private func packed(in bytes: [UInt8]) -> UInt32 {
    guard width > 0 else { return 0 }
    var value: UInt64 = 0
    let (first, last) = (bit / 8, (bit + width - 1) / 8)
    for index in first...last { value |= UInt64(bytes[index]) << UInt64((index - first) * 8) }
    return UInt32(truncatingIfNeeded: value >> UInt64(bit % 8) & (1 << UInt64(width) - 1))
  }

  private static let cut = EngagementError.damagedParquet("a page has too few numbers")
}

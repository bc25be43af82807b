/// A small gzip stream that becomes a large text of spaces: RFC 1952 around one block of RFC 1951
/// in its fixed code.
enum GzipBomb {
  private static let space = UInt8(ascii: " ")

  /// The stream whose text has that many bytes. About 160 bytes of text go into one.
  static func bytes(expandingTo count: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    bits.append(0b011, 3)  // the last block, in the fixed code
    var left = count
    if left > 0 {
      bits.appendCode(0x30 + UInt32(space), 8)
      left -= 1
    }
    while left >= 258 {
      bits.appendCode(0b1100_0101, 8)  // length 258
      bits.appendCode(0, 5)  // distance 1
      left -= 258
    }
    for _ in 0..<left { bits.appendCode(0x30 + UInt32(space), 8) }
    bits.appendCode(0, 7)  // the end of the block
    bits.flush()
    bits.appendWord(checksum(of: count))
    bits.appendWord(UInt32(truncatingIfNeeded: count))
    return bits.bytes
  }

  /// CRC-32 of so many spaces.
  static func checksum(of count: Int) -> UInt32 {
    let table = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1) &* 0xedb8_8320 }
    }
    var checksum = UInt32.max
    for _ in 0..<count {
      checksum = table[Int((checksum ^ UInt32(space)) & 0xff)] ^ checksum >> 8
    }
    return ~checksum
  }
}

/// Bits into bytes, the lowest first.
struct BitWriter {
  var bytes: [UInt8] = []
  private var pending: UInt32 = 0
  private var count: UInt32 = 0

  /// Appends a number, its lowest bit first.
  mutating func append(_ value: UInt32, _ width: UInt32) {
    pending |= value << count
    count += width
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count -= 8
    }
  }

  /// Appends a Huffman code, which has its highest bit first.
  mutating func appendCode(_ code: UInt32, _ width: UInt32) {
    for bit in (0..<width).reversed() { append(code >> bit & 1, 1) }
  }

  /// Fills the last byte.
  mutating func flush() { if count > 0 { append(0, 8 - count) } }

  mutating func appendWord(_ word: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
    }
  }
}

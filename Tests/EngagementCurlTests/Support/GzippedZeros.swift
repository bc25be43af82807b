/// Zeros with the highest compression of deflate.
///
/// One block with fixed codes: a zero, then lengths of 258 at distance 1. The bits of such a pair
/// are always the same, so a stream of any length is written without a compressor.
struct GzippedZeros {
  private(set) var bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
  /// Longer streams have no checksum: it takes long to compute, and no reader gets that far.
  private static let longestChecked = 1 << 20

  private var bits: UInt64 = 0
  private var bitCount: UInt64 = 0

  init(_ count: Int) {
    put(0b011, 3)  // the last block, with fixed codes
    // The code of literal 0 is 00110000, sent with its highest bit first.
    put(0b0000_1100, 8)
    let pairs = (count - 1) / 258
    for _ in 0..<pairs { put(0b00000_10100011, 13) }
    for _ in 0..<(count - 1 - pairs * 258) { put(0b0000_1100, 8) }
    put(0, 7)  // the end of the block
    put(0, 7)  // padding to a whole byte
    if count <= Self.longestChecked { trailer(count) }
  }

  private mutating func put(_ value: UInt64, _ count: UInt64) {
    bits |= value << bitCount
    bitCount += count
    while bitCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  private mutating func trailer(_ count: Int) {
    for number in [Self.checksum(ofZeros: count), UInt32(count)] {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
  }

  /// CRC-32.
  private static func checksum(ofZeros count: Int) -> UInt32 {
    var sum = ~UInt32(0)
    for _ in 0..<count {
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}

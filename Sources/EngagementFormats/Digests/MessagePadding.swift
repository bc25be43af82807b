/// The end of a message in SHA-1 and SHA-256: a set bit, zeros, and the message's length in bits.
/// It fills the last block of 64 bytes.
enum MessagePadding {
  static let blockSize = 64

  /// The last block or blocks of a message of `byteCount` bytes. `rest` is the bytes after the last
  /// whole block.
  static func lastBlocks(rest: RawSpan, byteCount: UInt64) -> [UInt8] {
    let size = rest.byteCount < blockSize - 8 ? blockSize : 2 * blockSize
    return [UInt8](capacity: size) { output in
      for offset in rest.byteOffsets { output.append(rest.byte(at: offset)) }
      output.append(0x80)
      output.append(repeating: 0, count: size - 9 - rest.byteCount)
      let bitCount = byteCount &* 8
      for place in 0..<8 {
        output.append(UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64(place))))
      }
    }
  }
}

/// SHA-1 of FIPS 180-4, for the key that a WebSocket server answers with (RFC 6455, section 4.2.2).
///
/// Collisions are easy to make: do not use SHA-1 for trust or identity. Use `SHA256`.
public enum SHA1 {
  /// The 20 bytes of the digest.
  public static func digest(of bytes: RawSpan) -> [UInt8] {
    var state = State()
    let end = bytes.byteCount - bytes.byteCount % MessagePadding.blockSize
    state.compress(bytes.extracting(0..<end))
    let rest = bytes.extracting(end..<bytes.byteCount)
    let last = MessagePadding.lastBlocks(rest: rest, byteCount: UInt64(bytes.byteCount))
    state.compress(last.span.bytes)
    return state.bytes
  }

  /// The 20 bytes of the digest.
  public static func digest(of bytes: [UInt8]) -> [UInt8] { digest(of: bytes.span.bytes) }

  /// The 20 bytes of the digest of a string's UTF-8 bytes.
  public static func digest(of text: String) -> [UInt8] { text.readingBytes(digest(of:)) }
}

/// The five words of the standard's state, under its names.
private struct State {
  var a: UInt32 = 0x6745_2301
  var b: UInt32 = 0xefcd_ab89
  var c: UInt32 = 0x98ba_dcfe
  var d: UInt32 = 0x1032_5476
  var e: UInt32 = 0xc3d2_e1f0

  var bytes: [UInt8] {
    [UInt8](capacity: 20) { output in
      for word in [a, b, c, d, e] { output.appendBigEndian(word) }
    }
  }

  /// Processes whole blocks of 64 bytes.
  mutating func compress(_ blocks: RawSpan) {
    var words = [UInt32](repeating: 0, count: 80)
    for block in stride(from: 0, to: blocks.byteCount, by: MessagePadding.blockSize) {
      for place in 0..<16 { words[place] = blocks.bigEndianWord(at: block + 4 * place) }
      for place in 16..<80 {
        let mixed = words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16]
        words[place] = mixed.rotated(left: 1)
      }
      var next = self
      for place in 0..<80 { next.round(place, words[place]) }
      a &+= next.a
      b &+= next.b
      c &+= next.c
      d &+= next.d
      e &+= next.e
    }
  }

  private mutating func round(_ place: Int, _ word: UInt32) {
    let (mixed, constant): (UInt32, UInt32) =
      switch place {
      case 0..<20: (b & c ^ ~b & d, 0x5a82_7999)
      case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
      case 40..<60: (b & c ^ b & d ^ c & d, 0x8f1b_bcdc)
      default: (b ^ c ^ d, 0xca62_c1d6)
      }
    let sum = a.rotated(left: 5) &+ mixed &+ e &+ constant &+ word
    (e, d, c, b, a) = (d, c, b.rotated(left: 30), a, sum)
  }
}

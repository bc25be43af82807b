/// A 64-bit hash of bytes that is the same for ever, on every machine: it is kept in databases.
///
/// Sixteen bytes are multiplied to 128 bits and folded to 64; four such lanes run side by side. It
/// tells changed content from unchanged content. It is no defence against an adversary who looks
/// for two contents with one hash.
public enum ContentHash {
  // The fraction of π in hexadecimal: constants that nobody chose.
  private static let pi0: UInt64 = 0x243f_6a88_85a3_08d3
  private static let pi1: UInt64 = 0x1319_8a2e_0370_7344
  private static let pi2: UInt64 = 0xa409_3822_299f_31d0
  private static let pi3: UInt64 = 0x082e_fa98_ec4e_6c89
  private static let pi4: UInt64 = 0x4528_21e6_38d0_1377
  private static let pi5: UInt64 = 0xbe54_66cf_34e9_0c6c

  /// The hash of the bytes.
  public static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    of(bytes.span.bytes)
  }

  public static func of(_ bytes: RawSpan) -> UInt64 { of(bytes, 0..<bytes.byteCount) }

  /// The hash of those of the bytes that are in the range.
  static func of(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64 {
    let count = UInt64(truncatingIfNeeded: range.count)
    guard range.count > 16 else {
      let both = short(bytes, range)
      return fold(fold(both.first ^ pi1, both.second ^ pi2) ^ pi0, count ^ pi3)
    }
    var lanes = (pi0, pi1, pi2, pi3)
    if range.count >= 64 {
      mix(&lanes, bytes, range)
    } else {
      mixFew(&lanes, bytes, range)
    }
    return fold(fold(lanes.0 ^ pi4, lanes.1) ^ count, fold(lanes.2 ^ pi5, lanes.3))
  }

  /// All of at most sixteen bytes.
  private static func short(
    _ bytes: RawSpan, _ range: Range<Int>
  ) -> (first: UInt64, second: UInt64) {
    let first = bytes.word(range.lowerBound)
    guard range.count > 8 else { return (Bytes.low(first, range.count), 0) }
    return (first, bytes.word(range.upperBound &- 8))
  }

  /// Less than 64 bytes; the last step takes the last sixteen, some of them again.
  private static func mixFew(
    _ lanes: inout (UInt64, UInt64, UInt64, UInt64), _ bytes: RawSpan, _ range: Range<Int>
  ) {
    var offset = range.lowerBound
    while range.upperBound &- offset > 16 {
      lanes.0 = step(lanes.0, bytes.word(offset), bytes.word(offset &+ 8))
      offset &+= 16
    }
    let last = range.upperBound &- 16
    lanes.1 = step(lanes.1, bytes.word(last), bytes.word(last &+ 8))
  }

  /// At least 64 bytes; the last step takes the last 64, some of them again.
  @inline(__always)
  private static func mix(
    _ lanes: inout (UInt64, UInt64, UInt64, UInt64), _ bytes: RawSpan, _ range: Range<Int>
  ) {
    var offset = range.lowerBound
    while true {
      let last = range.upperBound &- 64
      let words = bytes.unsafeLoadUnaligned(fromByteOffset: min(offset, last), as: Words.self)
      lanes.0 = step(lanes.0, words.a, words.b)
      lanes.1 = step(lanes.1, words.c, words.d)
      lanes.2 = step(lanes.2, words.e, words.f)
      lanes.3 = step(lanes.3, words.g, words.h)
      if offset >= last { return }
      offset &+= 64
    }
  }

  @inline(__always)
  private static func step(_ lane: UInt64, _ first: UInt64, _ second: UInt64) -> UInt64 {
    let second = UInt64(littleEndian: second) ^ lane
    // The sum keeps the lane where the first factor happens to be 0.
    return fold(UInt64(littleEndian: first) ^ pi4, second) &+ second
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Sixty-four bytes, loaded with one question about the bounds.
  private struct Words: BitwiseCopyable {
    let a, b, c, d, e, f, g, h: UInt64
  }
}

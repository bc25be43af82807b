/// A 64-bit hash of bytes. It never changes and is the same on every machine, so databases can
/// store it.
///
/// Each step multiplies sixteen bytes to 128 bits and folds the product to 64. Four such lanes run
/// side by side. The hash tells changed content from unchanged content. It does not stop an
/// adversary from making two contents with the same hash.
public enum ContentHash {
  // The fraction of π in hexadecimal: arbitrary constants without a hidden purpose.
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

  /// The hash of the bytes in the range.
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

  /// All bytes of a range of at most sixteen, in two words.
  private static func short(
    _ bytes: RawSpan, _ range: Range<Int>
  ) -> (first: UInt64, second: UInt64) {
    let first = bytes.word(range.lowerBound)
    guard range.count > 8 else { return (Bytes.low(first, range.count), 0) }
    return (first, bytes.word(range.upperBound &- 8))
  }

  /// Mixes less than 64 bytes. The last step takes the last sixteen bytes and may overlap the step
  /// before.
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

  /// Mixes at least 64 bytes. The last step takes the last 64 bytes and may overlap the step
  /// before.
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
    // The sum keeps the lane's value if the first factor is 0.
    return fold(UInt64(littleEndian: first) ^ pi4, second) &+ second
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Sixty-four bytes, loaded with one bounds check.
  private struct Words: BitwiseCopyable {
    let a, b, c, d, e, f, g, h: UInt64
  }
}

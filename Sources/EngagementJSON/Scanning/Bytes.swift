/// Questions about eight or sixteen bytes at once.
///
/// Of a word's bytes the highest bit is set where a byte is meant; bits above the lowest one set may
/// be wrong. Of a block's bytes four bits are set each.
enum Bytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The low `count` bytes, of at most eight.
  @inline(__always)
  static func low(_ word: UInt64, _ count: Int) -> UInt64 {
    count >= 8 ? word : word & ((1 &<< UInt64(count &* 8)) &- 1)
  }

  /// The bytes at which plain text ends: quote, backslash, control, not ASCII.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    zeros(word ^ (ones &* 0x22)) | zeros(word ^ (ones &* 0x5c))
      | (((word &- ones &* 0x20) | word) & highs)
  }

  @inline(__always)
  static func special(_ block: SIMD16<Int8>) -> UInt64 {
    // With a sign, control characters and all that is not ASCII are below the space; the flipped
    // bit puts the quote next to it.
    quarter(
      ((block ^ SIMD16<Int8>(repeating: 0x02)) .< SIMD16<Int8>(repeating: 0x21))
        .| equal(block, 0x5c))
  }

  @inline(__always)
  static func quoteOrBackslash(_ word: UInt64) -> UInt64 {
    zeros(word ^ (ones &* 0x22)) | zeros(word ^ (ones &* 0x5c))
  }

  @inline(__always)
  static func quoteOrBackslash(_ block: SIMD16<Int8>) -> UInt64 {
    quarter(equal(block, 0x22) .| equal(block, 0x5c))
  }

  /// The bytes of text that may not stand in a string as they are: quote, backslash, control.
  @inline(__always)
  static func escaped(_ word: UInt64) -> UInt64 {
    quoteOrBackslash(word) | ((word &- ones &* 0x20) & ~word & highs)
  }

  @inline(__always)
  static func escaped(_ block: SIMD16<Int8>) -> UInt64 {
    // Both flipped bits together order the bytes so that these are below all others.
    quarter(
      ((block ^ SIMD16<Int8>(repeating: -0x7e)) .< SIMD16<Int8>(repeating: -0x5f))
        .| equal(block, 0x5c))
  }

  /// Quotes, brackets and braces.
  @inline(__always)
  static func quoteOrBracket(_ word: UInt64) -> UInt64 {
    // The bit that tells `[` from `{` and `]` from `}` is set for all; what else falls together
    // is control characters, which stand nowhere in sound bytes.
    let brackets = word | ones &* 0x20
    return zeros(word ^ (ones &* 0x22)) | zeros(brackets ^ (ones &* 0x7b))
      | zeros(brackets ^ (ones &* 0x7d))
  }

  @inline(__always)
  static func quoteOrBracket(_ block: SIMD16<Int8>) -> UInt64 {
    let brackets = block | SIMD16<Int8>(repeating: 0x20)
    return quarter(equal(block, 0x22) .| equal(brackets, 0x7b) .| equal(brackets, 0x7d))
  }

  /// What may follow a number or a word such as `true`.
  @inline(__always)
  static func endOfScalar(_ word: UInt64) -> UInt64 {
    zeros(word ^ (ones &* 0x2c)) | zeros((word | ones &* 0x20) ^ (ones &* 0x7d))
      | (((word &- ones &* 0x21) | word) & highs)
  }

  @inline(__always)
  static func endOfScalar(_ block: SIMD16<Int8>) -> UInt64 {
    let brackets = equal(block | SIMD16<Int8>(repeating: 0x20), 0x7d)
    return quarter(
      equal(block, 0x2c) .| brackets .| (block .< SIMD16<Int8>(repeating: 0x21)))
  }

  /// The bytes that are no decimal digits.
  @inline(__always)
  static func notDigits(_ word: UInt64) -> UInt64 {
    let shifted = word ^ (ones &* 0x30)
    return ((shifted &+ ones &* 0x76) | shifted) & highs
  }

  @inline(__always)
  static func notDigits(_ block: SIMD16<Int8>) -> UInt64 {
    // Moved so that a comparison with a sign does for one without.
    quarter((block &+ SIMD16<Int8>(repeating: 0x50)) .> SIMD16<Int8>(repeating: -0x77))
  }

  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highs }

  // The types are spelt out because the operators of the generic `SIMD` are loops.
  @inline(__always)
  private static func equal(_ block: SIMD16<Int8>, _ byte: Int8) -> SIMDMask<SIMD16<Int8>> {
    block .== SIMD16<Int8>(repeating: byte)
  }

  @inline(__always)
  private static func quarter(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
    // Both casts are between vectors of one size, in which every bit pattern is a value.
    let pairs = unsafeBitCast(mask, to: SIMD8<UInt16>.self)
    return unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: pairs &>> 4), to: UInt64.self)
      .littleEndian
  }
}

extension SIMD16<Int8> {
  /// The first eight bytes, the first one lowest.
  @inline(__always)
  var lowWord: UInt64 {
    // Between two forms of the same eight bytes.
    UInt64(littleEndian: unsafeBitCast(lowHalf, to: UInt64.self))
  }
}

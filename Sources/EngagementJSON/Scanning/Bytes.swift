/// Tests on eight or sixteen bytes at once.
///
/// A test on a word sets the highest bit of each matching byte; bits above the lowest set bit may
/// be wrong. A test on a block sets four bits for each matching byte.
enum Bytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The lowest `count` bytes; the whole word for a count of eight or more.
  @inline(__always)
  static func low(_ word: UInt64, _ count: Int) -> UInt64 {
    count >= 8 ? word : word & ((1 &<< UInt64(count &* 8)) &- 1)
  }

  /// The bytes that end plain text: a quote, a backslash, a control character or a byte that is not
  /// ASCII.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    zeros(word ^ (ones &* 0x22)) | zeros(word ^ (ones &* 0x5c))
      | (((word &- ones &* 0x20) | word) & highs)
  }

  @inline(__always)
  static func special(_ block: SIMD16<Int8>) -> UInt64 {
    // As signed numbers, control characters and bytes outside ASCII are below the space. The
    // flipped bit moves the quote next to it.
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

  /// The bytes of text that a string must escape: a quote, a backslash or a control character.
  @inline(__always)
  static func escaped(_ word: UInt64) -> UInt64 {
    quoteOrBackslash(word) | ((word &- ones &* 0x20) & ~word & highs)
  }

  @inline(__always)
  static func escaped(_ block: SIMD16<Int8>) -> UInt64 {
    // The two flipped bits reorder the bytes so that these are below all others.
    quarter(
      ((block ^ SIMD16<Int8>(repeating: -0x7e)) .< SIMD16<Int8>(repeating: -0x5f))
        .| equal(block, 0x5c))
  }

  /// Quotes, brackets and braces.
  @inline(__always)
  static func quoteOrBracket(_ word: UInt64) -> UInt64 {
    // The set bit makes `[` equal to `{` and `]` to `}`. It also maps control characters to these,
    // but sound bytes do not contain them.
    let brackets = word | ones &* 0x20
    return zeros(word ^ (ones &* 0x22)) | zeros(brackets ^ (ones &* 0x7b))
      | zeros(brackets ^ (ones &* 0x7d))
  }

  @inline(__always)
  static func quoteOrBracket(_ block: SIMD16<Int8>) -> UInt64 {
    let brackets = block | SIMD16<Int8>(repeating: 0x20)
    return quarter(equal(block, 0x22) .| equal(brackets, 0x7b) .| equal(brackets, 0x7d))
  }

  /// The bytes that may follow a number or a word such as `true`.
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

  /// The bytes that are not decimal digits.
  @inline(__always)
  static func notDigits(_ word: UInt64) -> UInt64 {
    let shifted = word ^ (ones &* 0x30)
    return ((shifted &+ ones &* 0x76) | shifted) & highs
  }

  @inline(__always)
  static func notDigits(_ block: SIMD16<Int8>) -> UInt64 {
    // The offset turns the unsigned comparison into a signed one.
    quarter((block &+ SIMD16<Int8>(repeating: 0x50)) .> SIMD16<Int8>(repeating: -0x77))
  }

  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highs }

  // The operators of the generic `SIMD` are loops, so the types are explicit.
  @inline(__always)
  private static func equal(_ block: SIMD16<Int8>, _ byte: Int8) -> SIMDMask<SIMD16<Int8>> {
    block .== SIMD16<Int8>(repeating: byte)
  }

  @inline(__always)
  private static func quarter(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
    // Both casts are between vectors of the same size, and every bit pattern is a valid value.
    let pairs = unsafeBitCast(mask, to: SIMD8<UInt16>.self)
    return unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: pairs &>> 4), to: UInt64.self)
      .littleEndian
  }
}

extension SIMD16<Int8> {
  /// The first eight bytes, the first one in the lowest bits.
  @inline(__always)
  var lowWord: UInt64 {
    // Both types have the same eight bytes, and every bit pattern is a valid value.
    UInt64(littleEndian: unsafeBitCast(lowHalf, to: UInt64.self))
  }
}

/// Converts numbers whose grammar was checked.
enum Number {
  /// The integer in the range; nil if it has a fraction or an exponent, or does not fit.
  static func integer(_ bytes: RawSpan, _ range: Range<Int>) -> Int64? {
    let isNegative = bytes.byte(range.lowerBound) == UInt8(ascii: "-")
    let first = range.lowerBound &+ (isNegative ? 1 : 0)
    // Nineteen digits fit 64 bits without a sign.
    guard first < range.upperBound, range.upperBound &- first <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for offset in first..<range.upperBound {
      let digit = bytes.byte(offset) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      magnitude = magnitude &* 10 &+ UInt64(digit)
    }
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude <= Int64.min.magnitude ? 0 &- Int64(truncatingIfNeeded: magnitude) : nil
  }

  /// The integer, also if it is written as `3.0`; nil for any other number.
  static func whole(_ bytes: RawSpan, _ range: Range<Int>) -> Int64? {
    integer(bytes, range) ?? Int64(exactly: real(bytes, range))
  }

  /// The number in the range, correctly rounded; infinite if it is too large.
  static func real(_ bytes: RawSpan, _ range: Range<Int>) -> Double {
    exact(bytes, range) ?? rounded(bytes, range)
  }

  /// The exponent from the digits in the range, clamped to ±1,000,000,000.
  static func exponent(_ bytes: RawSpan, _ range: Range<Int>, isNegative: Bool) -> Int {
    var value = 0
    for offset in range where value < 1_000_000_000 {
      value = value &* 10 &+ Int(bytes.byte(offset) &- UInt8(ascii: "0"))
    }
    value = min(value, 1_000_000_000)
    return isNegative ? 0 &- value : value
  }

  /// The number if one exact multiplication or division gives it: the digits are at most 2^53 and
  /// the power of ten at most 10^22, so both are exact as `Double`.
  private static func exact(_ bytes: RawSpan, _ range: Range<Int>) -> Double? {
    var mantissa: UInt64 = 0
    var digits = 0
    var power = 0
    var hasPoint = false
    for offset in range {
      let byte = bytes.byte(offset)
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        digits &+= 1
        guard digits <= 19 else { return nil }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        if hasPoint { power &-= 1 }
      } else if byte == UInt8(ascii: ".") {
        hasPoint = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        power &+= signedExponent(bytes, offset &+ 1..<range.upperBound)
        break
      }
    }
    guard mantissa <= 1 << 53, abs(power) <= 22 else { return nil }
    let magnitude =
      power < 0
      ? Double(mantissa) / powersOfTen[0 &- power] : Double(mantissa) * powersOfTen[power]
    return bytes.byte(range.lowerBound) == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  private static func signedExponent(_ bytes: RawSpan, _ range: Range<Int>) -> Int {
    let sign = bytes.byte(range.lowerBound)
    let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
    return exponent(
      bytes, range.dropFirst(isSigned ? 1 : 0), isNegative: sign == UInt8(ascii: "-"))
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  @inline(never)
  private static func rounded(_ bytes: RawSpan, _ range: Range<Int>) -> Double {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    for offset in range { text.append(bytes.byte(offset)) }
    // Swift's own parser expects a point in every locale, and rounds correctly.
    return Double(String(decoding: text, as: UTF8.self)) ?? .infinity
  }
}

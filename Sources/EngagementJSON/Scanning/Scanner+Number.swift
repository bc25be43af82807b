extension Scanner {
  /// If the digits before the point plus the exponent are at most this, the number cannot overflow.
  private static let safeMagnitude = 308

  /// Checks a number that begins with a digit.
  @inline(__always)
  mutating func unsigned(_ bytes: RawSpan, _ start: Int) throws(JSONFault) -> Int {
    if let block = bytes.block(start) {
      let others = Bytes.notDigits(block)
      let end = start &+ others.trailingZeroBitCount &>> 2
      // Most numbers are integers of less than sixteen digits, followed by a comma.
      if others != 0, bytes.byte(start) != UInt8(ascii: "0") || end == start &+ 1,
        bytes.byte(end) == UInt8(ascii: ",")
      {
        return end
      }
    }
    return try number(bytes, start, from: start)
  }

  /// Checks the number at the offset. Returns the offset after it.
  mutating func number(_ bytes: RawSpan, _ start: Int) throws(JSONFault) -> Int {
    let isNegative = bytes.byte(start) == UInt8(ascii: "-")
    return try number(bytes, start, from: isNegative ? start &+ 1 : start)
  }

  /// Checks a number whose digits begin at `first`.
  @inline(never)
  private mutating func number(
    _ bytes: RawSpan, _ start: Int, from first: Int
  ) throws(JSONFault) -> Int {
    let end = digits(bytes, first)
    let count = end &- first
    // A leading zero must be the only digit.
    guard count == 1 || count > 1 && bytes.byte(first) != UInt8(ascii: "0") else {
      throw unexpected(bytes, count == 0 ? first : first &+ 1)
    }
    let next = bytes.byte(end)
    if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") {
      return try real(bytes, start, pointOrExponent: end)
    }
    if count > 18, Number.integer(bytes, start..<end) == nil {
      note(.integerOverflow, at: start)
    }
    return end
  }

  /// The offset after the digits that begin at the offset.
  @inline(__always)
  private func digits(_ bytes: RawSpan, _ start: Int) -> Int {
    bytes.next(start, Bytes.notDigits, Bytes.notDigits)
  }

  private mutating func real(
    _ bytes: RawSpan, _ start: Int, pointOrExponent: Int
  ) throws(JSONFault) -> Int {
    var end = pointOrExponent
    if bytes.byte(end) == UInt8(ascii: ".") {
      end = digits(bytes, end &+ 1)
      guard end > pointOrExponent &+ 1 else { throw unexpected(bytes, end) }
    }
    var exponent = 0
    if bytes.byte(end) | 0x20 == UInt8(ascii: "e") {
      let sign = bytes.byte(end &+ 1)
      let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
      let first = end &+ (isSigned ? 2 : 1)
      end = digits(bytes, first)
      guard end > first else { throw unexpected(bytes, end) }
      exponent = Number.exponent(bytes, first..<end, isNegative: sign == UInt8(ascii: "-"))
    }
    if pointOrExponent &- start &+ exponent > Self.safeMagnitude,
      Number.real(bytes, start..<end).isInfinite
    {
      note(.realOverflow, at: start)
    }
    return end
  }
}

/// A position in bytes that are read from left to right.
///
/// The caller passes the bytes to every call. The reader does not keep them, so it needs no
/// lifetime.
struct ByteReader {
  private(set) var position = 0

  func isAtEnd(of bytes: RawSpan) -> Bool { position >= bytes.byteCount }

  /// The next byte, without taking it; nil at the end.
  func peek(in bytes: RawSpan) -> UInt8? {
    position < bytes.byteCount ? bytes.byte(at: position) : nil
  }

  /// Takes the next byte; nil at the end.
  mutating func next(in bytes: RawSpan) -> UInt8? {
    guard let byte = peek(in: bytes) else { return nil }
    position += 1
    return byte
  }

  /// Takes the next byte if it is that character. Returns whether it was.
  mutating func take(_ character: Unicode.Scalar, in bytes: RawSpan) -> Bool {
    guard peek(in: bytes) == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Takes one decimal digit and returns its value. Returns nil and does not move if there is no
  /// digit.
  mutating func digit(in bytes: RawSpan) -> Int? {
    guard let byte = peek(in: bytes) else { return nil }
    let value = byte &- UInt8(ascii: "0")
    guard value < 10 else { return nil }
    position += 1
    return Int(value)
  }

  /// Takes exactly that many decimal digits, at most nine.
  mutating func number(digits count: Int, in bytes: RawSpan) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit(in: bytes) else { return nil }
      value = value * 10 + digit
    }
    return value
  }
}

/// Bytes as pairs of hexadecimal digits.
public enum Hex {
  /// Two digits per byte, lower-case by default.
  public static func text(of bytes: RawSpan, uppercase: Bool = false) -> String {
    String(capacity: bytes.byteCount * 2) { append(bytes, uppercase: uppercase, to: &$0) }
  }

  /// Two digits per byte, lower-case by default.
  public static func text(of bytes: [UInt8], uppercase: Bool = false) -> String {
    text(of: bytes.span.bytes, uppercase: uppercase)
  }

  /// Writes the digits into the caller's buffer.
  ///
  /// Returns false and writes nothing if the buffer has no room for two digits per byte.
  public static func write(
    _ bytes: RawSpan, uppercase: Bool = false, to output: inout OutputSpan<UInt8>
  ) -> Bool {
    guard output.freeCapacity / 2 >= bytes.byteCount else { return false }
    append(bytes, uppercase: uppercase, to: &output)
    return true
  }

  /// Reads digits of either case. Returns nil for an odd number of digits and for any other
  /// character.
  public static func bytes(from text: String) -> [UInt8]? {
    text.readingBytes(bytes(from:))
  }

  /// Reads digits from UTF-8 bytes, by the same rules.
  public static func bytes(from text: RawSpan) -> [UInt8]? {
    guard text.byteCount.isMultiple(of: 2) else { return nil }
    let bytes = [UInt8](capacity: text.byteCount / 2) { output in
      for offset in stride(from: 0, to: text.byteCount, by: 2) {
        guard let high = value(of: text.byte(at: offset)),
          let low = value(of: text.byte(at: offset + 1))
        else { return }
        output.append(high << 4 | low)
      }
    }
    return bytes.count == text.byteCount / 2 ? bytes : nil
  }

  /// The value of one digit of either case; nil for any other character.
  @inline(__always)
  static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The digit of a value below 16.
  @inline(__always)
  static func digit(_ value: UInt8, letters: UInt8 = UInt8(ascii: "a") - 10) -> UInt8 {
    value + (value < 10 ? UInt8(ascii: "0") : letters)
  }

  private static func append(
    _ bytes: RawSpan, uppercase: Bool, to output: inout OutputSpan<UInt8>
  ) {
    let letters = UInt8(ascii: uppercase ? "A" : "a") - 10
    for offset in bytes.byteOffsets {
      let byte = bytes.byte(at: offset)
      output.append(digit(byte >> 4, letters: letters))
      output.append(digit(byte & 15, letters: letters))
    }
  }
}

/// Removes the escapes from strings.
enum Unescaped {
  /// The text as a string.
  static func string(_ bytes: ArraySlice<UInt8>, _ text: Text) -> String {
    guard text.isEscaped else {
      return String(decoding: bytes.at(text.start..<text.end), as: UTF8.self)
    }
    return String(decoding: Self.bytes(bytes.span.bytes, text.start..<text.end), as: UTF8.self)
  }

  /// The unescaped bytes of checked text in the range. In unchecked text, an invalid escape is
  /// copied.
  static func bytes(_ bytes: RawSpan, _ range: Range<Int>) -> [UInt8] {
    // No escape is shorter than its unescaped bytes.
    [UInt8](capacity: range.count) { plain in
      var offset = range.lowerBound
      while offset < range.upperBound {
        let byte = bytes.byte(offset)
        if byte != UInt8(ascii: "\\") {
          plain.append(byte)
          offset &+= 1
        } else if bytes.byte(offset &+ 1) == UInt8(ascii: "u") {
          offset = unit(bytes, offset, into: &plain)
        } else {
          plain.append(single(bytes.byte(offset &+ 1)))
          offset &+= 2
        }
      }
    }
  }

  private static func single(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: byte
    }
  }

  /// Appends the character of the `\u` escape at the offset. Returns the offset after it.
  private static func unit(
    _ bytes: RawSpan, _ offset: Int, into plain: inout OutputSpan<UInt8>
  ) -> Int {
    let first = Hexadecimal.unit(bytes.word(offset &+ 2)) ?? 0xfffd
    if 0xd800..<0xdc00 ~= first, Bytes.low(bytes.word(offset &+ 6), 2) == 0x755c,
      let second = Hexadecimal.unit(bytes.word(offset &+ 8)), 0xdc00..<0xe000 ~= second
    {
      append(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00), to: &plain)
      return offset &+ 12
    }
    append(first, to: &plain)
    return offset &+ 6
  }

  private static func append(_ value: UInt32, to plain: inout OutputSpan<UInt8>) {
    let scalar = Unicode.Scalar(value) ?? "\u{fffd}"
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter where plain.freeCapacity > 0
    {
      plain.append(byte)
    }
  }
}

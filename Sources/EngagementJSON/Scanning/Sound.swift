/// Navigates bytes that were checked before. On unchecked bytes it still returns only offsets
/// inside them or at their end.
enum Sound {
  /// The string at the offset, which is the first byte after the quote.
  @inline(__always)
  static func text(_ bytes: RawSpan, _ start: Int) -> Text {
    var text = Text(start: start, end: start)
    while true {
      text.end = bytes.next(text.end, Bytes.quoteOrBackslash, Bytes.quoteOrBackslash)
      if bytes.byte(text.end) != UInt8(ascii: "\\") { return text }
      text.isEscaped = true
      text.end = min(text.end &+ 2, bytes.byteCount)
    }
  }

  /// Whether the text has no escapes and is ASCII.
  static func isPlain(_ bytes: RawSpan, _ text: Text) -> Bool {
    !text.isEscaped && (text.start..<text.end).allSatisfy { bytes.byte($0) < 0x80 }
  }

  /// The offset of the first byte that is not white space.
  @inline(__always)
  static func space(_ bytes: RawSpan, _ start: Int) -> Int {
    var offset = start
    while bytes.byte(offset) &- 1 < 0x20 { offset &+= 1 }
    return offset
  }

  /// The offset after the value at the offset. If no value begins there, as in unchecked bytes, it
  /// moves by at least one byte, so that loops end.
  @inline(__always)
  static func end(_ bytes: RawSpan, _ start: Int) -> Int {
    switch bytes.byte(start) {
    case UInt8(ascii: "\""): min(text(bytes, start &+ 1).end &+ 1, bytes.byteCount)
    case UInt8(ascii: "{"), UInt8(ascii: "["): container(bytes, start)
    default:
      max(
        bytes.next(start, Bytes.endOfScalar, Bytes.endOfScalar), min(start &+ 1, bytes.byteCount))
    }
  }

  /// The offset after the object or array at the offset.
  @inline(never)
  private static func container(_ bytes: RawSpan, _ start: Int) -> Int {
    var offset = start
    var depth = 0
    while true {
      offset = bytes.next(offset, Bytes.quoteOrBracket, Bytes.quoteOrBracket)
      switch bytes.byte(offset) {
      case UInt8(ascii: "\""): offset = text(bytes, offset &+ 1).end
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      default: return bytes.byteCount
      }
      offset = min(offset &+ 1, bytes.byteCount)
      if depth == 0 { return offset }
    }
  }
}

/// Finds its way through bytes that have been checked before. On bytes that never were, it gives
/// offsets inside of them or at their end and nothing worse.
enum Sound {
  /// The string whose first byte behind the quote is at the offset.
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

  /// Whether each byte of the text stands for itself and is ASCII.
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

  /// The offset behind the value that begins at the offset. Bytes that were never checked may hold
  /// what begins no value; they are passed one by one, so that whoever walks them moves on.
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

  /// The offset behind the object or array that begins at the offset.
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

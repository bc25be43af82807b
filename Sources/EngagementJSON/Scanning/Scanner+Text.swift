/// The text between two quotes.
struct Text: Sendable {
  /// The offset of the first byte after the opening quote.
  var start: Int
  /// The offset of the closing quote.
  var end: Int
  /// Whether the text contains a backslash.
  var isEscaped = false
}

extension Scanner {
  /// Checks a string from the byte after its opening quote.
  @inline(__always)
  mutating func text(_ bytes: RawSpan, _ start: Int) throws(JSONFault) -> Text {
    let end = bytes.next(start, Bytes.special, Bytes.special)
    if bytes.byte(end) == UInt8(ascii: "\"") { return Text(start: start, end: end) }
    return try text(bytes, start, plainTo: end)
  }

  /// Checks a string whose bytes before `end` are known to be plain.
  @inline(never)
  mutating func text(
    _ bytes: RawSpan, _ start: Int, plainTo end: Int
  ) throws(JSONFault) -> Text {
    var text = Text(start: start, end: end)
    while true {
      let byte = bytes.byte(text.end)
      if byte >= 0x80 {
        text.end = wide(bytes, text.end)
      } else if byte == UInt8(ascii: "\"") {
        return text
      } else {
        guard byte == UInt8(ascii: "\\") else { throw control(bytes, text.end) }
        text.isEscaped = true
        text.end = try escape(bytes, text.end)
      }
      text.end = bytes.next(text.end, Bytes.special, Bytes.special)
    }
  }

  private func control(_ bytes: RawSpan, _ offset: Int) -> JSONFault {
    offset < bytes.byteCount
      ? JSONFault(.controlCharacter, at: offset) : unexpected(bytes, offset)
  }

  /// Checks a run of bytes that are not ASCII.
  @inline(__always)
  private mutating func wide(_ bytes: RawSpan, _ start: Int) -> Int {
    var offset = start
    repeat {
      let length = UTF8Sequence.length(bytes.word(offset))
      if length == 0 { note(.invalidUTF8, at: offset) }
      offset &+= max(length, 1)
    } while bytes.byte(offset) >= 0x80
    return offset
  }

  /// Checks the escape whose backslash is at the offset. A surrogate pair is one escape.
  @inline(never)
  private mutating func escape(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    switch bytes.byte(offset &+ 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return offset &+ 2
    case UInt8(ascii: "u"): break
    default: throw badEscape(bytes, offset, length: 2)
    }
    let unit = Hexadecimal.unit(bytes.word(offset &+ 2))
    guard let unit else { throw badEscape(bytes, offset, length: 6) }
    switch unit {
    case 0: note(.nul, at: offset)
    case 0xd800..<0xdc00:
      let second = Bytes.low(bytes.word(offset &+ 6), 2) == 0x755c
      let low = second ? Hexadecimal.unit(bytes.word(offset &+ 8)) : nil
      if let low, 0xdc00..<0xe000 ~= low { return offset &+ 12 }
      note(.invalidSurrogate, at: offset)
    case 0xdc00..<0xe000: note(.invalidSurrogate, at: offset)
    default: break
    }
    return offset &+ 6
  }

  private func badEscape(_ bytes: RawSpan, _ offset: Int, length: Int) -> JSONFault {
    // If the document ends inside an escape that is valid so far, the fault is the early end.
    for index in 2..<max(length, 2) where !Hexadecimal.isDigit(bytes.byte(offset &+ index)) {
      return offset &+ index < bytes.byteCount
        ? JSONFault(.invalidEscape, at: offset) : unexpected(bytes, bytes.byteCount)
    }
    return offset &+ 1 < bytes.byteCount
      ? JSONFault(.invalidEscape, at: offset) : unexpected(bytes, bytes.byteCount)
  }
}

/// The UTF-8 encoding of characters beyond ASCII.
enum UTF8Sequence {
  /// The length of the character beyond ASCII at the start of the word; 0 if the bytes are not one.
  @inline(__always)
  static func length(_ word: UInt64) -> Int {
    // Refuses overlong forms, surrogates and values above U+10FFFF.
    switch word & 0xf0 {
    case 0xc0, 0xd0: return word & 0xc000 == 0x8000 && word & 0x1e != 0 ? 2 : 0
    case 0xe0:
      let bits = word & 0x200f
      return word & 0xc0_c000 == 0x80_8000 && bits != 0 && bits != 0x200d ? 3 : 0
    case 0xf0:
      let plane = (word & 0x0f) &<< 2 | (word &>> 12) & 0x03
      return word & 0xc0c0_c000 == 0x8080_8000 && plane &- 1 < 16 ? 4 : 0
    default: return 0
    }
  }
}

/// The four digits of an escape.
enum Hexadecimal {
  /// The value of the four lowest bytes, the lowest first; nil if one is not a digit.
  @inline(__always)
  static func unit(_ word: UInt64) -> UInt32? {
    var unit: UInt32 = 0
    for index in 0..<4 {
      let digit = value(UInt8(truncatingIfNeeded: word &>> UInt64(index &* 8)))
      guard digit < 16 else { return nil }
      unit = unit &<< 4 | UInt32(digit)
    }
    return unit
  }

  static func isDigit(_ byte: UInt8) -> Bool { value(byte) < 16 }

  @inline(__always)
  private static func value(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: .max
    }
  }
}

import EngagementFormats

/// Bytes to be written, which keep their room when they are taken.
struct ExportBuffer: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  @inline(__always)
  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  mutating func append(_ span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  @inline(__always)
  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  @inline(__always)
  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Int64) {
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var first = digits.count
    var rest = value.magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    for index in first..<digits.count { bytes.append(digits[index]) }
  }

  /// Appends a text as a string of JSON. What no reader takes is repaired.
  mutating func append(quoted text: RawSpan) {
    append(UInt8(ascii: "\""))
    let facts = TextFacts(text)
    if facts.isSound, !facts.hasEscapes {
      append(text)
    } else if facts.isSound {
      append(escaped: text)
    } else {
      let repaired = text.repaired
      append(escaped: repaired.span.bytes)
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(escaped text: RawSpan) {
    for offset in text.byteOffsets {
      let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if byte < 0x20 {
        append("\\u00" as StaticString)
        append(Self.digit(byte >> 4))
        append(Self.digit(byte & 15))
      } else {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          append(UInt8(ascii: "\\"))
        }
        append(byte)
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }

  /// Appends a time as ISO 8601 has it; nothing outside the years 0000 to 9999.
  mutating func append(time milliseconds: Int64) {
    bytes.append(addingCapacity: 29) { _ = ISO8601.write(milliseconds: milliseconds, to: &$0) }
  }
}

/// What a format has to know of a text.
struct TextFacts {
  /// Whether a quote, a comma, a carriage return or a line feed is in it.
  let hasSeparators: Bool
  /// Whether JSON escapes something in it.
  let hasEscapes: Bool
  /// Whether it is UTF-8 without a zero byte, about which no reader agrees with another.
  let isSound: Bool
  let first: UInt8?

  init(_ text: RawSpan) {
    var (separators, escapes, high, zeros): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var offset = 0
    while offset &+ 8 <= text.byteCount {
      let word = unsafe text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      Self.note(word, &separators, &escapes, &high, &zeros)
      offset &+= 8
    }
    if offset < text.byteCount, text.byteCount >= 8 {
      // To look at some bytes twice changes nothing.
      let word = unsafe text.unsafeLoadUnaligned(
        fromByteOffset: text.byteCount &- 8, as: UInt64.self)
      Self.note(word, &separators, &escapes, &high, &zeros)
    } else if offset < text.byteCount {
      // A space is in none of the sets.
      var word = 0x2020_2020_2020_2020 as UInt64
      for place in offset..<text.byteCount {
        word = word << 8 | UInt64(unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self))
      }
      Self.note(word, &separators, &escapes, &high, &zeros)
    }
    hasSeparators = separators & Self.highBits != 0
    hasEscapes = escapes & Self.highBits != 0
    isSound =
      zeros & Self.highBits == 0 && (high & Self.highBits == 0 || text.isUTF8)
    first = text.isEmpty ? nil : unsafe text.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
  }

  private static let highBits = 0x8080_8080_8080_8080 as UInt64
  private static let ones = 0x0101_0101_0101_0101 as UInt64

  /// The high bit of each byte that is zero is set; of others it may be, above one that is zero.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }

  @inline(__always)
  private static func matches(_ word: UInt64, _ byte: UInt64) -> UInt64 {
    zeros(word ^ (ones &* byte))
  }

  @inline(__always)
  private static func note(
    _ word: UInt64, _ separators: inout UInt64, _ escapes: inout UInt64, _ high: inout UInt64,
    _ zeros: inout UInt64
  ) {
    let quotes = matches(word, 0x22)
    // Subtracting a space borrows in bytes below it.
    escapes |= quotes | matches(word, 0x5c) | ((word &- ones &* 0x20) & ~word)
    separators |= quotes | matches(word, 0x2c) | matches(word, 0x0a) | matches(word, 0x0d)
    zeros |= Self.zeros(word)
    high |= word
  }
}

extension RawSpan {
  var isUTF8: Bool {
    unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } != nil
  }

  /// The text, with U+FFFD in the place of a zero byte and of what is no UTF-8.
  var repaired: [UInt8] {
    let text = unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return text.utf8.flatMap { $0 == 0 ? [0xef, 0xbf, 0xbd] : [$0] }
  }

  package var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    var offset = start
    while offset < byteCount {
      if unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) == byte { return offset }
      offset &+= 1
    }
    return nil
  }
}

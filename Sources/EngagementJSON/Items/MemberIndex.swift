/// The positions of one object's members.
struct MemberIndex: Sendable {
  private static let usual = 32

  private let entries: [Entry]

  /// Indexes the members of an object whose bytes were checked.
  init(_ bytes: RawSpan) throws(JSONFault) {
    guard bytes.byte(0) == UInt8(ascii: "{") else { throw JSONFault(.notAnObject, at: 0) }
    guard bytes.byteCount < UInt32.max else { throw JSONFault(.tooLarge, at: 0) }
    let (entries, count) = Self.entries(bytes, atMost: Self.usual)
    // A large object is walked twice, so that the index takes no more memory than its members need.
    self.entries = count <= Self.usual ? entries : Self.entries(bytes, atMost: count).0
  }

  var count: Int { entries.count }

  /// The keys of the members and their values, in their order.
  func members(_ bytes: RawSpan) -> [(key: Text, value: MemberValue)] {
    entries.map { (Sound.text(bytes, $0.keyStart), $0.value) }
  }

  /// The value of the member with that key.
  @inline(__always)
  func value(of key: JSONKey, in bytes: ArraySlice<UInt8>) -> MemberValue? {
    let entries = entries.span
    var index = 0
    while index < entries.count {
      if entries[index].low == key.low, entries[index].isNamed(key, bytes) {
        return entries[index].value
      }
      index &+= 1
    }
    return nil
  }

  /// Up to `most` members, and the count of all members.
  private static func entries(_ bytes: RawSpan, atMost most: Int) -> ([Entry], Int) {
    var count = 0
    let entries = [Entry](capacity: most) { entries in
      var offset = Sound.space(bytes, 1)
      while bytes.byte(offset) == UInt8(ascii: "\"") {
        let entry = Entry(bytes, offset)
        if count < most { entries.append(entry) }
        count &+= 1
        offset = entry.value.end
        if bytes.half(offset) & 0xffff == 0x222c {
          offset &+= 1
        } else {
          offset = Sound.space(bytes, offset)
          guard bytes.byte(offset) == UInt8(ascii: ",") else { return }
          offset = Sound.space(bytes, offset &+ 1)
        }
      }
    }
    return (entries, count)
  }
}

/// The position of a member's value.
struct MemberValue: Sendable {
  fileprivate let start32: UInt32
  fileprivate let end32: UInt32
  /// Whether the value is a string that contains a backslash.
  let isEscaped: Bool

  @inline(__always)
  fileprivate init(_ bytes: RawSpan, _ start: Int) {
    var end = start
    var isEscaped = false
    if bytes.byte(start) == UInt8(ascii: "\"") {
      let text = Sound.text(bytes, start &+ 1)
      end = min(text.end &+ 1, bytes.byteCount)
      isEscaped = text.isEscaped
    } else {
      end = Sound.end(bytes, start)
    }
    start32 = UInt32(truncatingIfNeeded: start)
    end32 = UInt32(truncatingIfNeeded: end)
    self.isEscaped = isEscaped
  }

  var start: Int { Int(start32) }
  /// The offset after the value.
  var end: Int { Int(end32) }
  var range: Range<Int> { start..<max(start, end) }
}

extension MemberIndex {
  private struct Entry: Sendable {
    /// The first eight bytes of the unescaped key.
    let low: UInt64
    let value: MemberValue
    /// The length of the unescaped key, capped at 255.
    private let length: UInt8
    /// Whether the key has no escapes.
    private let isPlain: Bool
    private let keyStart32: UInt32

    /// Takes the offset of a key's opening quote.
    @inline(__always)
    init(_ bytes: RawSpan, _ offset: Int) {
      let start = offset &+ 1
      keyStart32 = UInt32(truncatingIfNeeded: start)
      if let block = bytes.block(start) {
        let count = Bytes.quoteOrBackslash(block).trailingZeroBitCount &>> 2
        // Most keys are short and without escapes, directly followed by the colon and the value.
        let next = bytes.half(start &+ count)
        if next & 0xffff == 0x3a22, (next &>> 16) & 0xff > 0x20 {
          low = Bytes.low(block.lowWord, count)
          length = UInt8(truncatingIfNeeded: count)
          isPlain = true
          value = MemberValue(bytes, start &+ count &+ 2)
          return
        }
      }
      let key = Sound.text(bytes, start)
      (low, length) = Self.name(bytes, key)
      isPlain = !key.isEscaped
      value = MemberValue(bytes, Self.valueStart(bytes, key.end))
    }

    @inline(never)
    private static func valueStart(_ bytes: RawSpan, _ keyEnd: Int) -> Int {
      let colon = Sound.space(bytes, keyEnd &+ 1)
      return min(Sound.space(bytes, colon &+ 1), bytes.byteCount)
    }

    @inline(never)
    private static func name(_ bytes: RawSpan, _ key: Text) -> (UInt64, UInt8) {
      guard key.isEscaped else {
        let count = key.end &- key.start
        return (Bytes.low(bytes.word(key.start), count), UInt8(clamping: count))
      }
      let plain = Unescaped.bytes(bytes, key.start..<key.end)
      return (plain.span.bytes.word(0), UInt8(clamping: plain.count))
    }

    var keyStart: Int { Int(keyStart32) }

    /// Whether the member has this key. Requires that the first eight bytes are equal.
    @inline(__always)
    func isNamed(_ key: JSONKey, _ bytes: ArraySlice<UInt8>) -> Bool {
      if length <= 8 { return key.high == UInt64(length) &<< 56 }
      guard length <= 15, isPlain else { return isLong(key, bytes) }
      let next = Bytes.low(bytes.span.bytes.word(keyStart &+ 8), Int(length) &- 8)
      return key.high == next | UInt64(length) &<< 56
    }

    @inline(never)
    private func isLong(_ key: JSONKey, _ bytes: ArraySlice<UInt8>) -> Bool {
      let span = bytes.span.bytes
      let text = Sound.text(span, keyStart)
      if length > 15, !text.isEscaped { return key.isLong(span, text.start..<text.end) }
      return JSONKey(text, in: bytes) == key
    }
  }
}

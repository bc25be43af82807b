/// Checks the grammar, once and from the first byte to the last.
///
/// It holds no bytes and no position: each method is given both and returns the offset behind
/// what it has checked. Structural faults are thrown; of the value faults the first is kept in
/// `fault`, and scanning goes on.
struct Scanner: Sendable {
  /// Containers in one another; one more is a fault.
  static let deepest = 64

  /// The first value fault since it was last taken.
  private var fault: JSONFault?
  /// The containers that are open.
  private(set) var depth = 0

  /// Keeps a value fault unless there is one already.
  mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
    if fault == nil { fault = JSONFault(kind, at: offset) }
  }

  /// Counts the container that begins at the offset.
  @inline(__always)
  mutating func enter(_ offset: Int) throws(JSONFault) {
    guard depth < Self.deepest else { throw JSONFault(.tooDeep, at: offset) }
    depth &+= 1
  }

  /// Counts a container no longer.
  @inline(__always)
  mutating func leave() { depth &-= 1 }

  /// Gives the kept value fault up, for the caller to throw or to put on an item.
  mutating func takeFault() -> JSONFault? {
    defer { fault = nil }
    return fault
  }

  /// The offset of the first byte that is not white space.
  @inline(__always)
  func space(_ bytes: RawSpan, _ offset: Int) -> Int {
    bytes.byte(offset) > 0x20 ? offset : longSpace(bytes, offset)
  }

  @inline(never)
  private func longSpace(_ bytes: RawSpan, _ offset: Int) -> Int {
    var offset = offset
    while true {
      switch bytes.byte(offset) {
      case 0x20, 0x0a, 0x0d, 0x09: offset &+= 1
      default: return offset
      }
    }
  }

  /// What to throw for a byte that the grammar does not allow, or for the end.
  @inline(never)
  func unexpected(_ bytes: RawSpan, _ offset: Int) -> JSONFault {
    guard offset < bytes.byteCount else {
      return JSONFault(.unexpectedEnd, at: bytes.byteCount)
    }
    let startsWithMark = offset == 0 && Bytes.low(bytes.word(0), 3) == 0xbf_bb_ef
    return JSONFault(startsWithMark ? .byteOrderMark : .unexpectedByte, at: offset)
  }
}

// MARK: Values

extension Scanner {
  /// Checks the value that begins at the offset, with everything in it.
  @inline(__always)
  mutating func value(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    guard bytes.byte(offset) == UInt8(ascii: "\"") else { return try other(bytes, offset) }
    return try text(bytes, offset &+ 1).end &+ 1
  }

  /// Checks an object of a list.
  mutating func item(
    _ bytes: RawSpan, _ offset: Int, _ pattern: inout KeyPattern
  ) throws(JSONFault) -> Int {
    guard bytes.byte(offset) == UInt8(ascii: "{") else { return try value(bytes, offset) }
    pattern.restart(bytes)
    return try members(bytes, offset, &pattern)
  }

  /// Checks a value that is no string.
  @inline(__always)
  private mutating func other(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    let first = bytes.byte(offset)
    if first == UInt8(ascii: "t") || first == UInt8(ascii: "f") { return try bool(bytes, offset) }
    if first &- UInt8(ascii: "0") < 10 { return try unsigned(bytes, offset) }
    return try rest(bytes, offset)
  }

  /// Checks a value that is no string, no truth value and no number without a sign.
  @inline(never)
  private mutating func rest(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    switch bytes.byte(offset) {
    case UInt8(ascii: "{"): return try object(bytes, offset)
    case UInt8(ascii: "["): return try elements(bytes, offset)
    case UInt8(ascii: "n"): return try literal(bytes, 0x6c6c_756e, offset)
    case UInt8(ascii: "-"): return try number(bytes, offset)
    default:
      let first = space(bytes, offset)
      if first == offset { throw unexpected(bytes, offset) }
      return try value(bytes, first)
    }
  }

  @inline(never)
  private mutating func object(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    var keys = KeySet()
    return try members(bytes, offset, &keys)
  }

  /// Checks `true` or `false` without asking which: that cannot be foreseen.
  @inline(__always)
  private func bool(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    let isFalse = bytes.byte(offset) == UInt8(ascii: "f")
    let word: UInt32 = isFalse ? 0x6573_6c61 : 0x6575_7274
    return try literal(bytes, word, offset &+ (isFalse ? 1 : 0))
  }

  /// Checks that the four bytes stand at the offset: the last ones of a word such as `true`.
  @inline(__always)
  private func literal(_ bytes: RawSpan, _ word: UInt32, _ offset: Int) throws(JSONFault) -> Int {
    guard bytes.half(offset) == word else { throw brokenLiteral(bytes, word, offset) }
    return offset &+ 4
  }

  @inline(never)
  private func brokenLiteral(_ bytes: RawSpan, _ word: UInt32, _ offset: Int) -> JSONFault {
    let difference = Bytes.low(bytes.word(offset), 4) ^ UInt64(word)
    return unexpected(bytes, offset &+ difference.trailingZeroBitCount >> 3)
  }

  @inline(never)
  private mutating func elements(_ bytes: RawSpan, _ start: Int) throws(JSONFault) -> Int {
    try enter(start)
    var offset = space(bytes, start &+ 1)
    if bytes.byte(offset) != UInt8(ascii: "]") {
      while true {
        offset = space(bytes, try value(bytes, offset))
        let separator = bytes.byte(offset)
        if separator == UInt8(ascii: "]") { break }
        guard separator == UInt8(ascii: ",") else { throw unexpected(bytes, offset) }
        offset = space(bytes, offset &+ 1)
      }
    }
    leave()
    return offset &+ 1
  }
}

// MARK: Objects

extension Scanner {
  /// Checks the object that begins at the offset.
  @inline(__always)
  private mutating func members(
    _ bytes: RawSpan, _ start: Int, _ keys: inout some ObjectKeys
  ) throws(JSONFault) -> Int {
    try enter(start)
    var offset = space(bytes, start &+ 1)
    if bytes.byte(offset) != UInt8(ascii: "}") {
      repeat {
        guard bytes.byte(offset) == UInt8(ascii: "\"") else { throw unexpected(bytes, offset) }
        offset = try keys.pass(bytes, offset, &self)
      } while try isFollowed(bytes, &offset)
    }
    leave()
    return offset &+ 1
  }

  /// Checks a member's value and what stands behind it: true with the offset at the next member,
  /// false with the offset at the closing bracket.
  @inline(__always)
  private mutating func isFollowed(_ bytes: RawSpan, _ offset: inout Int) throws(JSONFault) -> Bool
  {
    if bytes.byte(offset) == UInt8(ascii: "\"") {
      let end = bytes.next(offset &+ 1, Bytes.special, Bytes.special)
      // Mostly the end of a plain string, a comma and the next key follow one another.
      if bytes.half(end) & 0xff_ffff == 0x22_2c22 {
        offset = end &+ 2
        return true
      }
      offset = try text(bytes, offset &+ 1, plainTo: end).end &+ 1
    } else {
      offset = try other(bytes, offset)
    }
    if bytes.half(offset) & 0xffff == 0x222c {
      offset &+= 1
      return true
    }
    return try isFollowedSlowly(bytes, &offset)
  }

  @inline(never)
  private func isFollowedSlowly(_ bytes: RawSpan, _ offset: inout Int) throws(JSONFault) -> Bool {
    offset = space(bytes, offset)
    switch bytes.byte(offset) {
    case UInt8(ascii: ","):
      offset = space(bytes, offset &+ 1)
      return true
    case UInt8(ascii: "}"): return false
    default: throw unexpected(bytes, offset)
    }
  }

  /// Checks the key at the offset and its colon. `text` is what is between the quotes; `end` is
  /// behind the colon.
  @inline(never)
  mutating func key(
    _ bytes: RawSpan, _ offset: Int, in keys: inout KeySet
  ) throws(JSONFault) -> (text: Text, end: Int) {
    guard bytes.byte(offset) == UInt8(ascii: "\"") else { throw unexpected(bytes, offset) }
    let text = try text(bytes, offset &+ 1)
    if !keys.insert(text, KeyPlace.hash(text, bytes), from: bytes) {
      note(.duplicateKey, at: offset)
    }
    let colon = space(bytes, text.end &+ 1)
    guard bytes.byte(colon) == UInt8(ascii: ":") else { throw unexpected(bytes, colon) }
    return (text, colon &+ 1)
  }
}

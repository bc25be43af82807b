/// Checks the grammar of a document, each byte once, from front to back.
///
/// It stores neither bytes nor position: the caller passes both, and each method returns the offset
/// after the checked part. Methods throw structural faults. `fault` keeps the first value fault,
/// and scanning continues.
struct Scanner: Sendable {
  /// The greatest number of nested containers that are read. Containers inside them are checked and
  /// make their item faulty.
  static let deepest = 64

  /// The first value fault since the last `takeFault()`.
  private var fault: JSONFault?
  /// The number of open containers.
  private(set) var depth = 0

  /// Keeps a value fault, unless there already is one.
  mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
    if fault == nil { fault = JSONFault(kind, at: offset) }
  }

  /// Whether a container that begins here would be nested too deep.
  var isDeepest: Bool {
    @inline(__always) get { depth >= Self.deepest }
  }

  /// Counts a container as open. The caller has checked `isDeepest`.
  @inline(__always)
  mutating func enter() { depth &+= 1 }

  /// Counts a container as closed.
  @inline(__always)
  mutating func leave() { depth &-= 1 }

  /// Returns and forgets the kept value fault. The caller throws it or stores it in an item.
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

  /// The fault for a byte that the grammar does not allow, or for an early end.
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
  /// Checks the value at the offset, including nested values.
  @inline(__always)
  mutating func value(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    guard bytes.byte(offset) == UInt8(ascii: "\"") else { return try other(bytes, offset) }
    return try text(bytes, offset &+ 1).end &+ 1
  }

  /// Checks an element of a list; uses the pattern if it is an object.
  mutating func item(
    _ bytes: RawSpan, _ offset: Int, _ pattern: inout KeyPattern
  ) throws(JSONFault) -> Int {
    guard bytes.byte(offset) == UInt8(ascii: "{") else { return try value(bytes, offset) }
    pattern.restart(bytes)
    return try members(bytes, offset, &pattern)
  }

  /// Checks a value that is not a string.
  @inline(__always)
  private mutating func other(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    let first = bytes.byte(offset)
    if first == UInt8(ascii: "t") || first == UInt8(ascii: "f") { return try bool(bytes, offset) }
    if first &- UInt8(ascii: "0") < 10 { return try unsigned(bytes, offset) }
    return try rest(bytes, offset)
  }

  /// Checks an object, an array, a null, a negative number, or a value after white space.
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

  /// Checks `true` or `false` without a branch, because the processor cannot predict which it is.
  @inline(__always)
  private func bool(_ bytes: RawSpan, _ offset: Int) throws(JSONFault) -> Int {
    let isFalse = bytes.byte(offset) == UInt8(ascii: "f")
    let word: UInt32 = isFalse ? 0x6573_6c61 : 0x6575_7274
    return try literal(bytes, word, offset &+ (isFalse ? 1 : 0))
  }

  /// Checks that the four bytes are at the offset. They are the end of a word such as `true`.
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
    guard !isDeepest else { return try tooDeep(bytes, start) }
    enter()
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
    guard !isDeepest else { return try tooDeep(bytes, start) }
    enter()
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

  /// Checks a member's value and the byte after it. Returns true with the offset at the next
  /// member, or false with the offset at the closing bracket.
  @inline(__always)
  private mutating func isFollowed(_ bytes: RawSpan, _ offset: inout Int) throws(JSONFault) -> Bool
  {
    if bytes.byte(offset) == UInt8(ascii: "\"") {
      let end = bytes.next(offset &+ 1, Bytes.special, Bytes.special)
      // In most objects a comma and the next key directly follow a plain string.
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

  /// Checks the key at the offset and its colon. `text` is between the quotes; `end` is after the
  /// colon.
  @inline(never)
  mutating func key(
    _ bytes: RawSpan, _ offset: Int, in keys: inout KeySet
  ) throws(JSONFault) -> (text: Text, end: Int) {
    guard bytes.byte(offset) == UInt8(ascii: "\"") else { throw unexpected(bytes, offset) }
    let text = try text(bytes, offset &+ 1)
    if !keys.insert(text, KeyPlace.hash(text, bytes), from: bytes) {
      note(.duplicateKey, at: offset)
    }
    return (text, try colon(bytes, after: text))
  }

  /// The offset after the colon that follows the key.
  @inline(__always)
  func colon(_ bytes: RawSpan, after key: Text) throws(JSONFault) -> Int {
    let colon = space(bytes, key.end &+ 1)
    guard bytes.byte(colon) == UInt8(ascii: ":") else { throw unexpected(bytes, colon) }
    return colon &+ 1
  }
}

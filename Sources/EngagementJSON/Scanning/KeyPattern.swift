/// The keys of the objects of one list, learnt from an earlier object.
///
/// Most such objects have the same keys in the same order, with some missing. One comparison then
/// recognises a key with its closing quote and its colon. An object that keeps the pattern's order
/// cannot repeat a key.
struct KeyPattern: Sendable {
  /// How many keys in a row may be missing.
  private static let reach = 4
  /// How often the pattern may change. The limit saves time on objects that have little in common.
  private static let mostLessons = 16

  private var entries: InlineArray<32, Entry> = .init(repeating: Entry())
  private var known = 0
  private var lessons = 0
  /// The index of the next expected entry, and the end of the entries to compare.
  private var next = 0
  private var limit = 0
  /// A bit for each entry that is missing in this object.
  private var skipped: UInt64 = 0
  /// All keys of this object, once it has left the pattern.
  private var keys = KeySet()
  private var hasDeparted = false

  /// Begins the next object of the list.
  mutating func restart(_ bytes: RawSpan) {
    if hasDeparted { learn(bytes) }
    next = 0
    limit = known
    skipped = 0
  }
}

extension KeyPattern: ObjectKeys {
  @inline(__always)
  mutating func pass(
    _ bytes: RawSpan, _ offset: Int, _ scanner: inout Scanner
  ) throws(JSONFault) -> Int {
    if next < limit, entries[next].matches(bytes, offset) {
      let end = offset &+ entries[next].length
      next &+= 1
      return end
    }
    return try passOther(bytes, offset, &scanner)
  }

  @inline(never)
  private mutating func passOther(
    _ bytes: RawSpan, _ offset: Int, _ scanner: inout Scanner
  ) throws(JSONFault) -> Int {
    if hasDeparted { return try keys.pass(bytes, offset, &scanner) }
    for index in next..<min(next + Self.reach, limit) where entries[index].matches(bytes, offset) {
      for left in next..<index { skipped |= 1 << UInt64(left) }
      next = index + 1
      return offset + entries[index].length
    }
    depart(bytes)
    return try keys.pass(bytes, offset, &scanner)
  }

  /// Leaves the pattern: compares each further key of this object with all earlier ones.
  private mutating func depart(_ bytes: RawSpan) {
    keys = KeySet()
    for index in 0..<next where skipped & 1 << UInt64(index) == 0 {
      let key = entries[index].text
      _ = keys.insert(key, KeyPlace.hash(key, bytes), from: bytes)
    }
    hasDeparted = true
    next = 0
    limit = 0
  }

  /// Learns the pattern from the object that has just ended.
  @inline(never)
  private mutating func learn(_ bytes: RawSpan) {
    hasDeparted = false
    guard lessons < Self.mostLessons, let starts = keys.starts else { return }
    lessons += 1
    known = 0
    for start in starts {
      guard let entry = Entry(bytes, start) else { return }
      entries[known] = entry
      known += 1
    }
  }
}

extension KeyPattern {
  /// A key of the pattern and its position in the document.
  private struct Entry: Sendable {
    /// The first bytes of the key, its closing quote and its colon.
    var word: UInt64 = 0
    /// The relevant bits of the word.
    var mask: UInt64 = 0
    /// The offset after the opening quote.
    var start = 0
    /// The length from the opening quote to the colon, both included.
    var length = 0

    init() {}

    /// Nil if the key has escapes or bytes outside ASCII, or its colon does not follow it directly.
    init?(_ bytes: RawSpan, _ start: Int) {
      let text = Sound.text(bytes, start)
      guard Sound.isPlain(bytes, text), bytes.byte(text.end + 1) == UInt8(ascii: ":") else {
        return nil
      }
      self.start = start
      length = text.end - start + 3
      mask = Bytes.low(.max, length - 1)
      word = bytes.word(start) & mask
    }

    var text: Text { Text(start: start, end: start &+ length &- 3) }

    /// Whether the member at the offset has this key.
    @inline(__always)
    func matches(_ bytes: RawSpan, _ offset: Int) -> Bool {
      guard (bytes.word(offset &+ 1) ^ word) & mask == 0 else { return false }
      return length <= 9 || matchesRest(bytes, offset &+ 1)
    }

    @inline(never)
    private func matchesRest(_ bytes: RawSpan, _ offset: Int) -> Bool {
      var index = 8
      while index < length &- 1 {
        let difference = bytes.word(offset &+ index) ^ bytes.word(start &+ index)
        if Bytes.low(difference, length &- 1 &- index) != 0 { return false }
        index &+= 8
      }
      return true
    }
  }
}

/// Tracks the keys of one object while the scanner reads it.
protocol ObjectKeys {
  /// Checks the key whose opening quote is at the offset, and its colon. Returns the offset after
  /// the colon.
  mutating func pass(
    _ bytes: RawSpan, _ offset: Int, _ scanner: inout Scanner
  ) throws(JSONFault) -> Int
}

/// The keys of one object so far, to detect a duplicate key.
///
/// A key costs one multiplication, one bit and one store. An object with many keys or with similar
/// keys gets a `KeyTable`, so every input takes linear time.
struct KeySet: Sendable {
  private static let fewest = 32

  /// A bit for each key so far. A key whose bit is not set is new.
  private var filter: UInt64 = 0
  private var count = 0
  private var places: InlineArray<32, KeyPlace> = .init(repeating: KeyPlace())
  private var table: KeyTable?

  /// The offsets of the keys, in their order; nil if there are too many.
  var starts: [Int]? { table == nil ? (0..<count).map { places[$0].start } : nil }

  /// Adds a checked key with its hash from `KeyPlace`. Returns false if it is a duplicate.
  @inline(__always)
  mutating func insert(_ key: Text, _ hash: UInt64, from bytes: RawSpan) -> Bool {
    let bit = 1 as UInt64 &<< (hash &>> 58)
    guard filter & bit == 0, count < Self.fewest else {
      return insertSlowly(key, KeyPlace(key.start, hash), from: bytes)
    }
    filter |= bit
    places[count] = KeyPlace(key.start, hash)
    count &+= 1
    return true
  }

  @inline(never)
  private mutating func insertSlowly(_ key: Text, _ place: KeyPlace, from bytes: RawSpan) -> Bool {
    if table == nil {
      let twin = (0..<count).first { places[$0].looksLike(place) }
      if let twin, KeyText(bytes, places[twin].start).isSame(as: KeyText(bytes, key), in: bytes) {
        return false
      }
      if twin == nil, count < Self.fewest {
        places[count] = place
        count += 1
        return true
      }
      table = KeyTable()
      for index in 0..<count { _ = table?.insert(places[index].start, from: bytes) }
      // From now on, every key goes to the table.
      filter = .max
    }
    return table?.insert(key.start, from: bytes) ?? true
  }
}

extension KeySet: ObjectKeys {
  @inline(__always)
  mutating func pass(
    _ bytes: RawSpan, _ offset: Int, _ scanner: inout Scanner
  ) throws(JSONFault) -> Int {
    guard let block = bytes.block(offset &+ 1) else {
      return try scanner.key(bytes, offset, in: &self).end
    }
    let special = Bytes.special(block)
    let length = special.trailingZeroBitCount &>> 2
    let end = offset &+ 1 &+ length
    // In most objects the colon directly follows a plain key of less than sixteen bytes.
    guard special != 0, bytes.half(end) & 0xffff == 0x3a22 else {
      return try scanner.key(bytes, offset, in: &self).end
    }
    let text = Text(start: offset &+ 1, end: end)
    if !insert(text, KeyPlace.hash(block.lowWord, length, bytes, end), from: bytes) {
      scanner.note(.duplicateKey, at: offset)
    }
    return end &+ 2
  }
}

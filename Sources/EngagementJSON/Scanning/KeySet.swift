/// What knows the keys of one object while it is read.
protocol ObjectKeys {
  /// Checks the key whose opening quote is at the offset, with its colon; gives the offset behind
  /// the colon.
  mutating func pass(
    _ bytes: RawSpan, _ offset: Int, _ scanner: inout Scanner
  ) throws(JSONFault) -> Int
}

/// The keys of one object so far, to find one that stands twice.
///
/// A key costs one multiplication, one bit and one store. An object with many keys, or with keys
/// that look alike, gets a `KeyTable`, so that no input takes more than linear time.
struct KeySet: Sendable {
  private static let fewest = 32

  /// A bit for each key so far: one whose bit is not set is new.
  private var filter: UInt64 = 0
  private var count = 0
  private var places: InlineArray<32, KeyPlace> = .init(repeating: KeyPlace())
  private var table: KeyTable?

  /// Where the keys begin, in their order; nil where they are too many.
  var starts: [Int]? { table == nil ? (0..<count).map { places[$0].start } : nil }

  /// Adds a checked key with the hash that `KeyPlace` has for it; false where it is there already.
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
      // Every key takes this way from now on.
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
    // Mostly a plain key of less than sixteen bytes has its colon right behind it.
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

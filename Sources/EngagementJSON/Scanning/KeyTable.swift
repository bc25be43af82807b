/// The keys of one large object: a hash table of places with open addressing.
///
/// It uses Swift's seeded hash, so an attacker cannot choose keys that collide.
struct KeyTable: Sendable {
  private var slots: [KeyPlace] = Array(repeating: KeyPlace(), count: 128)
  private var count = 0

  /// Adds the key that begins at the offset. Returns false if it is a duplicate.
  mutating func insert(_ start: Int, from bytes: RawSpan) -> Bool {
    if count >= slots.count / 8 * 7 { grow(bytes) }
    let key = KeyText(bytes, start)
    let hash = key.hash(in: bytes)
    let place = KeyPlace(start, hash)
    var slot = slot(for: hash)
    while !slots[slot].isEmpty {
      if slots[slot].looksLike(place),
        KeyText(bytes, slots[slot].start).isSame(as: key, in: bytes)
      {
        return false
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = place
    count += 1
    return true
  }

  private func slot(for hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash) & (slots.count - 1)
  }

  private mutating func grow(_ bytes: RawSpan) {
    let old = slots
    slots = Array(repeating: KeyPlace(), count: old.count * 2)
    for place in old where !place.isEmpty {
      var slot = slot(for: KeyText(bytes, place.start).hash(in: bytes))
      while !slots[slot].isEmpty { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = place
    }
  }
}

/// The text of a checked key, identified by its position.
struct KeyText {
  private let range: Range<Int>
  private let plain: [UInt8]?

  /// Takes the offset of the first byte after the opening quote.
  init(_ bytes: RawSpan, _ start: Int) {
    self.init(bytes, Sound.text(bytes, start))
  }

  init(_ bytes: RawSpan, _ text: Text) {
    range = text.start..<text.end
    plain = text.isEscaped ? Unescaped.bytes(bytes, range) : nil
  }

  /// Whether both unescaped keys have the same bytes.
  func isSame(as other: KeyText, in bytes: RawSpan) -> Bool {
    switch (plain, other.plain) {
    case (nil, nil): bytes.hasSameBytes(range, as: bytes, other.range)
    case (let left?, nil): left.span.bytes.hasSameBytes(left.indices, as: bytes, other.range)
    case (nil, let right?): right.span.bytes.hasSameBytes(right.indices, as: bytes, range)
    case (let left?, let right?): left == right
    }
  }

  /// A hash of the unescaped key. It differs between processes.
  func hash(in bytes: RawSpan) -> UInt64 {
    guard let plain else { return Self.hash(bytes, range) }
    return Self.hash(plain.span.bytes, plain.indices)
  }

  private static func hash(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(range.count)
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      hasher.combine(Bytes.low(bytes.word(offset), range.upperBound - offset))
    }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}

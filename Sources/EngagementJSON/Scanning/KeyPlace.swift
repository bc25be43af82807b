/// The position of a key and a part of its hash: 40 bits and 24.
struct KeyPlace: Sendable {
  private let bits: UInt64

  private static let startBits: UInt64 = 40

  /// An empty place.
  init() { bits = 0 }

  /// The place of a key. `hash` comes from `hash` or from `KeyText.hash`.
  @inline(__always)
  init(_ start: Int, _ hash: UInt64) {
    let tag = (hash &>> Self.startBits) &<< Self.startBits
    bits = tag | Bytes.low(UInt64(truncatingIfNeeded: start), 5)
  }

  var isEmpty: Bool { bits == 0 }

  /// The offset after the opening quote; never 0.
  @inline(__always)
  var start: Int { Int(truncatingIfNeeded: Bytes.low(bits, 5)) }

  /// Whether the keys may be equal.
  @inline(__always)
  func looksLike(_ other: KeyPlace) -> Bool { (bits ^ other.bits) &>> Self.startBits == 0 }
}

// MARK: Hash

extension KeyPlace {
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The hash of a key of at most eight bytes without escapes.
  @inline(__always)
  static func hash(_ word: UInt64) -> UInt64 {
    // Callers use only the highest bits, which depend on all bytes.
    word &* factor
  }

  /// The hash of any checked key.
  @inline(__always)
  static func hash(_ key: Text, _ bytes: RawSpan) -> UInt64 {
    if key.isEscaped { return escapedHash(key, bytes) }
    return hash(bytes.word(key.start), key.end &- key.start, bytes, key.end)
  }

  /// The hash of a key without escapes, from its first eight bytes, its length and its last eight
  /// bytes.
  @inline(__always)
  static func hash(_ first: UInt64, _ length: Int, _ bytes: RawSpan, _ end: Int) -> UInt64 {
    if length <= 8 { return hash(Bytes.low(first, length)) }
    return hash(hash(first) ^ bytes.word(end &- 8) &+ UInt64(truncatingIfNeeded: length))
  }

  @inline(never)
  private static func escapedHash(_ key: Text, _ bytes: RawSpan) -> UInt64 {
    let plain = Unescaped.bytes(bytes, key.start..<key.end)
    return hash(Text(start: 0, end: plain.count), plain.span.bytes)
  }
}

import EngagementModel

/// A member's key, optimised for comparison with literals.
///
/// ```swift
/// switch key {
/// case "tp": …
/// case "last_full_sync_at": …
/// default: …
/// }
/// ```
///
/// A key of up to 15 bytes is stored in two words, so such a `switch` is a few comparisons with
/// constants. Keys of any length are equal only if all their bytes are.
public struct JSONKey: Sendable, ExpressibleByStringLiteral {
  /// The first eight bytes, the first one in the lowest bits.
  @usableFromInline let low: UInt64
  /// The next seven bytes. The highest byte is the length, or 255 if `long` holds the key.
  @usableFromInline let high: UInt64
  @usableFromInline let long: Long?

  @usableFromInline
  enum Long: Sendable {
    case literal(StaticString)
    case text(String)
  }

  @usableFromInline
  init(low: UInt64, high: UInt64, long: Long?) {
    self.low = low
    self.high = high
    self.long = long
  }

  /// Takes a literal.
  @inlinable @inline(__always)
  public init(stringLiteral literal: StaticString) {
    guard literal.hasPointerRepresentation else {
      self.init(String(describing: literal))
      return
    }
    let count = literal.utf8CodeUnitCount
    // The bytes of a literal are constant and never freed. The compiler folds these loads.
    let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: count)
    var low: UInt64 = 0
    var high: UInt64 = (count > 15 ? 255 : UInt64(count)) &<< 56
    for index in 0..<min(count, 8) { low |= UInt64(bytes[index]) &<< UInt64(index &* 8) }
    for index in 8..<max(min(count, 15), 8) {
      high |= UInt64(bytes[index]) &<< UInt64((index &- 8) &* 8)
    }
    self.init(low: low, high: high, long: count > 15 ? .literal(literal) : nil)
  }

  /// Takes text that is not a literal.
  public init(_ text: String) {
    let span = text.utf8.span.bytes
    self.init(span, 0..<span.byteCount, long: span.byteCount > 15 ? .text(text) : nil)
  }

  /// Takes a key from a checked document.
  init(_ text: Text, in bytes: ArraySlice<UInt8>) {
    if text.isEscaped || text.end - text.start > 15 {
      self.init(Unescaped.string(bytes, text))
    } else {
      self.init(bytes.span.bytes, text.start..<text.end, long: nil)
    }
  }

  private init(_ bytes: RawSpan, _ range: Range<Int>, long: Long?) {
    let count = range.count
    low = Bytes.low(bytes.word(range.lowerBound), count)
    let next = count > 8 ? Bytes.low(bytes.word(range.lowerBound + 8), min(count, 15) - 8) : 0
    high = next | (count > 15 ? 255 : UInt64(count)) &<< 56
    self.long = long
  }

  /// The key's text.
  public var text: String {
    switch long {
    case .text(let text): return text
    case .literal(let literal): return literal.description
    case nil: break
    }
    let bytes = (0..<Int(high &>> 56)).map { index in
      UInt8(truncatingIfNeeded: (index < 8 ? low : high) &>> UInt64((index & 7) &* 8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONKey: Hashable {
  /// Whether both keys have the same bytes.
  @inlinable @inline(__always)
  public static func == (left: JSONKey, right: JSONKey) -> Bool {
    guard left.low == right.low, left.high == right.high else { return false }
    return left.high &>> 56 != 255 || left.isSameLong(as: right)
  }

  @usableFromInline
  @inline(never)
  func isSameLong(as other: JSONKey) -> Bool {
    other.withLongBytes { isLong($0, 0..<$0.byteCount) }
  }

  /// Whether this is a key of more than 15 bytes that equals these bytes.
  func isLong(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    withLongBytes { $0.hasSameBytes(0..<$0.byteCount, as: bytes, range) }
  }

  private func withLongBytes(_ body: (RawSpan) -> Bool) -> Bool {
    switch long {
    case .text(let text): body(text.utf8.span.bytes)
    // The bytes of a literal are never freed; the span does not escape the closure.
    case .literal(let literal): literal.withUTF8Buffer { body($0.span.bytes) }
    case nil: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(high)
    if long != nil { text.hashBytes(into: &hasher) }
  }
}

extension JSONKey: CustomStringConvertible {
  public var description: String { text }
}

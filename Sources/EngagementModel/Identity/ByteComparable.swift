import EngagementPlatform

/// A name or an id from outside: opaque text. Two are equal only if their bytes are.
///
/// Swift compares a `String` by canonical equivalence, so `"é"` as one scalar equals `"é"` as two,
/// but not in a database. Ids come from vendors and go back to vendors. They are compared, hashed
/// and ordered by their UTF-8 bytes, and encoded as their text.
public protocol ByteComparable: RawRepresentable<String>, Hashable, Comparable, Codable, Sendable,
  CustomStringConvertible, ExpressibleByStringLiteral
{
  /// The text, unchanged.
  var rawValue: String { get }

  /// Takes the text unchanged.
  init(rawValue: String)
}

extension ByteComparable {
  /// Takes the text unchanged.
  public init(_ text: String) { self.init(rawValue: text) }

  public init(stringLiteral value: String) { self.init(rawValue: value) }

  public var description: String { rawValue }

  @inlinable public static func == (left: Self, right: Self) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }

  // Without this, the `!=` of `RawRepresentable` would compare the texts as Swift strings.
  @inlinable public static func != (left: Self, right: Self) -> Bool { !(left == right) }

  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    rawValue.hashBytes(into: &hasher)
  }
}

extension String {
  /// Whether both hold the same UTF-8 bytes; stricter than `==`.
  @inlinable public func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && hasSameBytes(asEquallyLong: other)
  }

  @usableFromInline func hasSameBytes(asEquallyLong other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard let first = left.baseAddress, let second = right.baseAddress else {
          return left.isEmpty
        }
        return memcmp(first, second, left.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Hashes the UTF-8 bytes, consistent with `hasSameBytes(as:)`.
  public func hashBytes(into hasher: inout Hasher) {
    var copy = self
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xff as UInt8)
  }
}

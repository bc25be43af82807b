#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A name or an id from outside: opaque text that is equal only to the same bytes.
///
/// Swift's `String` compares by canonical equivalence, so `"é"` in one and in two scalars are
/// equal there and differ in every database. Ids come from vendors and go back to vendors; they
/// are compared, hashed and ordered by their UTF-8 bytes.
public protocol ByteComparable: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The text, unchanged.
  var text: String { get }

  /// Takes the text as it is.
  init(_ text: String)
}

extension ByteComparable {
  public init(stringLiteral value: String) { self.init(value) }

  public var description: String { text }

  @inlinable public static func == (left: Self, right: Self) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
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

  /// Hashes the UTF-8 bytes, to go with `hasSameBytes(as:)`.
  public func hashBytes(into hasher: inout Hasher) {
    var copy = self
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xff as UInt8)
  }
}

public import EngagementModel

/// Why bytes are no sound JSON, and where.
///
/// It never holds a byte of what was read, so it may be shown and logged.
public struct JSONFault: Error, Hashable, Sendable {
  /// What is wrong.
  public var kind: Kind
  /// The number of bytes before the place, counted from the first byte the reader was given.
  public var offset: Int

  public init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// Whether the document cannot be trusted any more. A fault that is not structural costs only
  /// the item that it stands in.
  public var isStructural: Bool { kind.isStructural }

  /// What can be wrong with a document or with a value in it.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// A byte that the grammar does not allow at its place.
    case unexpectedByte
    /// The document stops in the middle.
    case unexpectedEnd
    /// The document begins with a byte order mark.
    case byteOrderMark
    /// A byte below 0x20 inside a string, not escaped.
    case controlCharacter
    /// A backslash with something behind it that is no escape.
    case invalidEscape
    /// More than 64 containers in one another.
    case tooDeep
    /// Something other than white space behind the document's value.
    case trailingBytes
    /// A list of so many small items, or an object of so many bytes, that reading it would take
    /// more memory than it may; see `JSONCursor.items()` and `JSONFields`.
    case tooLarge

    /// The escape `\u0000`: no database and no C interface keeps what follows it.
    case nul
    /// Bytes in a string that are not UTF-8.
    case invalidUTF8
    /// Half of a surrogate pair in an escape.
    case invalidSurrogate
    /// An integer that does not fit in 64 bits with a sign.
    case integerOverflow
    /// A number that is larger than the largest `Double`.
    case realOverflow
    /// A key that the same object already has.
    case duplicateKey
    /// An object was asked for and the value is another kind.
    case notAnObject
    /// A value was asked for where none stands: a mistake of the caller.
    case noValue

    /// Whether a fault of this kind fails the whole document.
    public var isStructural: Bool { rawValue <= Kind.tooLarge.rawValue }
  }
}

extension JSONFault: CustomStringConvertible {
  public var description: String { "\(kind) at byte \(offset)" }
}

extension EngagementError {
  /// A malformed response, with the kind and the place of the fault and nothing of the bytes.
  public init(_ fault: JSONFault) {
    self.init(
      .malformedResponse, "The answer is not sound JSON.", underlying: fault.description)
  }
}

public import EngagementModel

/// Why bytes are not sound JSON, and where.
///
/// It never contains bytes of the input, so it may be shown and logged.
public struct JSONFault: Error, Hashable, Sendable {
  /// The kind of fault.
  public var kind: Kind
  /// The offset of the fault from the first byte that the reader was given.
  public var offset: Int

  public init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// Whether the whole document is unusable. Any other fault affects only the item that contains
  /// it.
  public var isStructural: Bool { kind.isStructural }

  /// The faults of a document or of a value in it.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// A byte that the grammar does not allow there.
    case unexpectedByte
    /// The document ends too early.
    case unexpectedEnd
    /// The document begins with a byte order mark.
    case byteOrderMark
    /// An unescaped byte below 0x20 inside a string.
    case controlCharacter
    /// A backslash that begins no valid escape.
    case invalidEscape
    /// Something other than white space after the document's value.
    case trailingBytes
    /// A list or an object that would take too much memory to read; see `JSONCursor.items()` and
    /// `JSONFields`.
    case tooLarge

    /// More than 64 nested containers, counted from the first byte that the reader was given.
    case tooDeep
    /// The escape `\u0000`: databases and C interfaces drop the text after it.
    case nul
    /// Bytes in a string that are not UTF-8.
    case invalidUTF8
    /// Half of a surrogate pair in an escape.
    case invalidSurrogate
    /// An integer that does not fit a signed 64-bit integer.
    case integerOverflow
    /// A number that is larger than the largest `Double`.
    case realOverflow
    /// A key that already exists in the same object.
    case duplicateKey
    /// The caller asked for an object, but the value is of another kind.
    case notAnObject
    /// The caller asked for a value where there is none. This is a mistake of the caller.
    case noValue

    /// Whether a fault of this kind makes the whole document fail.
    public var isStructural: Bool { rawValue <= Kind.tooLarge.rawValue }
  }
}

extension JSONFault: CustomStringConvertible {
  public var description: String { "\(kind) at byte \(offset)" }
}

extension EngagementError {
  /// A malformed response, with the kind and the offset of the fault and no bytes of the input.
  public init(_ fault: JSONFault) {
    let message =
      switch fault.kind {
      case .notAnObject: "Something else stands where a JSON object is expected."
      case .tooDeep: "The JSON is nested more than \(Scanner.deepest) levels deep."
      case .unexpectedByte, .unexpectedEnd, .byteOrderMark, .controlCharacter, .invalidEscape,
        .trailingBytes, .tooLarge, .nul, .invalidUTF8, .invalidSurrogate, .integerOverflow,
        .realOverflow, .duplicateKey, .noValue:
        "The answer is not sound JSON."
      }
    self.init(.malformedResponse, message, underlying: fault.description)
  }
}

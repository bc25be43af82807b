/// A credential or another value that must never be printed, logged or exported.
///
/// Every way Swift has of describing a value gives `<redacted>`; the text is reached by one
/// name that is easy to search for.
public struct Secret: Hashable, Sendable {
  private let value: String

  public init(_ value: String) { self.value = value }

  /// The secret itself. Call it only where the bytes leave for the vendor or the secret store.
  public var revealed: String { value }

  public static func == (left: Secret, right: Secret) -> Bool {
    left.value.hasSameBytes(as: right.value)
  }

  public func hash(into hasher: inout Hasher) { value.hashBytes(into: &hasher) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A credential or another value that must never be printed, logged or exported.
///
/// Every way in which Swift describes a value gives `<redacted>`. Only `revealed` returns the text,
/// so uses are easy to search for.
public struct Secret: Hashable, Sendable {
  private let value: String

  public init(_ value: String) { self.value = value }

  /// The secret text. Read it only to send it to the vendor or to the secret store.
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

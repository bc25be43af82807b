public import EngagementModel

/// One header field that is valid and can be sent.
public struct HTTPHeaderField: Sendable {
  /// A value that may be printed, or a secret that must not be.
  public enum Value: Hashable, Sendable {
    case text(String)
    case secret(Secret)

    /// The value, unless it is secret.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The value, if it is secret.
    public var secret: Secret? { if case .secret(let secret) = self { secret } else { nil } }

    /// The text to send, secret or not. Read it only to send it.
    public var revealed: String {
      switch self {
      case .text(let text): text
      case .secret(let secret): secret.revealed
      }
    }

    public static func == (left: Value, right: Value) -> Bool {
      switch (left, right) {
      case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
      case (.secret(let a), .secret(let b)): a == b
      case (.text, _), (.secret, _): false
      }
    }

    public func hash(into hasher: inout Hasher) { revealed.hashBytes(into: &hasher) }
  }

  /// The name as given; a token.
  public let name: String
  public let value: Value

  /// A field whose value may be printed. Drops spaces and tabs around the value, which are not part
  /// of it (RFC 9110 §5.5). Throws `invalidArgument` for an invalid name or value.
  public init(_ name: String, _ value: String) throws(EngagementError) {
    self.value = .text(try Self.checked(value, of: name))
    self.name = name
  }

  /// A field whose value is never printed, checked by the same rules.
  public init(_ name: String, _ secret: Secret) throws(EngagementError) {
    self.value = .secret(Secret(try Self.checked(secret.revealed, of: name)))
    self.name = name
  }

  func isNamed(_ other: String) -> Bool { name.equalsIgnoringCase(other) }

  private static func checked(_ value: String, of name: String) throws(EngagementError) -> String {
    guard name.utf8.isToken else {
      throw EngagementError(.invalidArgument, "A header name is not a token.")
    }
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }) else {
      throw EngagementError(.invalidArgument, "The value of header \(name) has a control byte.")
    }
    return String(Substring(value.utf8.trimmed))
  }
}

extension HTTPHeaderField: Hashable {
  public static func == (left: HTTPHeaderField, right: HTTPHeaderField) -> Bool {
    left.isNamed(right.name) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte.lowercased) }
    hasher.combine(value)
  }
}

extension HTTPHeaderField.Value: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { text ?? "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaderField: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// `name: value`, with `<redacted>` for a secret value and for headers that carry credentials by
  /// definition. A received cookie, for example, is not marked as secret.
  public var description: String {
    let isCredential = Self.credentials.contains(where: isNamed)
    return "\(name): \(isCredential ? "<redacted>" : value.description)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }

  private static let credentials = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"]
}

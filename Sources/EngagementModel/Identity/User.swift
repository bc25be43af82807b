/// Whoever uses the application: signed in under an id, or anonymous.
public struct User: Hashable, Sendable {
  /// The application's id of the person; nil for the anonymous user.
  public let id: UserID?

  /// A signed-in person.
  public init(_ id: UserID) { self.id = id }

  private init() { id = nil }

  /// Nobody in particular: what was done before the first sign-in.
  public static let anonymous = User()

  public var isAnonymous: Bool { id == nil }
}

/// The application's own id of a person, compared by bytes.
public struct UserID: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

extension User: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(UserID(value)) }
}

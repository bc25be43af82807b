/// The user of the application: signed in under an id, or anonymous.
public struct User: Hashable, Sendable {
  /// The application's id of the user; nil for the anonymous user.
  public let id: UserID?

  /// A signed-in user.
  public init(_ id: UserID) { self.id = id }

  private init() { id = nil }

  /// The user before the first sign-in and after a sign-out.
  public static let anonymous = User()

  public var isAnonymous: Bool { id == nil }
}

/// The application's own id of a user, compared by bytes.
public struct UserID: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension User: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(UserID(value)) }
}

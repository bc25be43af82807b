public import EngagementModel

public import struct FoundationEssentials.Date

/// One try at an operation: what stays the same over all tries and what counts up.
public struct Attempt: Hashable, Sendable {
  /// Who asked. Whatever happens meanwhile, the attempt goes out as this user or not at all.
  public var user: User
  /// Which stay of that user it belongs to, where somebody counts: a user who has left and come
  /// back is in another, and what returns from the former one speaks for nothing but the user.
  public var generation: Int?
  /// The operation's key.
  public var key: OperationKey
  /// When the operation was accepted.
  public var acceptedAt: Date
  /// 1 for the first.
  public var number: Int
  /// Whether the application asked for it just now.
  public var isUserRequested: Bool

  public init(
    by user: User, _ key: OperationKey, acceptedAt: Date, number: Int = 1,
    isUserRequested: Bool = false, generation: Int? = nil
  ) {
    self.user = user
    self.generation = generation
    self.key = key
    self.acceptedAt = acceptedAt
    self.number = number
    self.isUserRequested = isUserRequested
  }

  /// The attempt at something that this one needs first.
  public var preparing: Attempt {
    Attempt(
      by: user, key.next, acceptedAt: acceptedAt, number: number, generation: generation)
  }
}

public import EngagementModel
public import EngagementPlatform

/// One attempt at an operation: values that are the same in every attempt, and its number.
public struct Attempt: Hashable, Sendable {
  /// The user who asked. The attempt is sent as this user or not at all.
  public var user: User
  /// The generation of the user session; nil outside the kit. If the same user leaves and returns,
  /// the generation is another one. A late result of the earlier generation says nothing about the
  /// new session.
  public var generation: Int?
  /// The operation's key.
  public var key: OperationKey
  /// When the store accepted the operation.
  public var acceptedAt: Date
  /// 1 for the first attempt.
  public var number: Int
  /// Whether the application has just asked for the operation.
  public var isUserRequested: Bool
  /// Whether all items are asked for, and not only what has changed.
  public var wantsEverything = false
  /// The verb of the operation that needs this one first; nil for an operation of its own. The
  /// user's consent to that verb counts for its prerequisites.
  public private(set) var purpose: Operation.Verb?

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

  /// The attempt at a prerequisite of this one, which is at an operation with the verb.
  public func preparing(for verb: Operation.Verb) -> Attempt {
    var attempt = Attempt(
      by: user, key.next, acceptedAt: acceptedAt, number: number, generation: generation)
    attempt.purpose = purpose ?? verb
    return attempt
  }
}

public import EngagementModel

/// An adapter's reading of a push.
public struct Received: Hashable, Sendable {
  public var notification: PushNotification
  public var changes: [Change]
  /// The operations that the push requires, in order. The store accepts them with the changes and
  /// keeps them until they are done.
  public var operations: [Operation]

  public init(
    _ notification: PushNotification, changes: [Change] = [], operations: [Operation] = []
  ) {
    self.notification = notification
    self.changes = changes
    self.operations = operations
  }
}

/// One step of a change of user, as the vendor requires it.
public enum TransitionStep: Hashable, Sendable {
  /// Send the pending rows of the former user.
  case sendPending
  /// Execute this operation as the former user.
  case leave(Operation)
  /// Move the former user's pending rows to the new user. Only from the anonymous user.
  case adoptPending
  /// Commit these changes for the new user.
  case apply([Change])
  /// Execute this operation as the new user.
  case enter(Operation)
}

public import EngagementModel

/// What a push means for its vendor.
public struct Received: Hashable, Sendable {
  public var notification: PushNotification
  public var changes: [Change]
  /// What has to be done about it, in order; accepted with the changes, kept until done.
  public var operations: [Operation]

  public init(
    _ notification: PushNotification, changes: [Change] = [], operations: [Operation] = []
  ) {
    self.notification = notification
    self.changes = changes
    self.operations = operations
  }
}

/// One step of a change of user, as a vendor wants it.
public enum TransitionStep: Hashable, Sendable {
  /// Send what is pending, as the former user.
  case sendPending
  /// Do this as the former user.
  case leave(Operation)
  /// Give the former user's pending rows to the new one; only from anonymous.
  case adoptPending
  /// Commit this for the new user.
  case apply([Change])
  /// Do this as the new user.
  case enter(Operation)
}

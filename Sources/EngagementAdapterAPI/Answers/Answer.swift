public import EngagementModel

/// An adapter's reading of a response. A refusal may carry changes, too.
public struct Answer: Hashable, Sendable {
  public var changes: [Change]
  public var verdict: Verdict

  public init(_ changes: [Change] = [], _ verdict: Verdict = .done) {
    self.changes = changes
    self.verdict = verdict
  }

  /// Refuses the operation, without changes.
  public static func refused(_ code: EngagementError.Code, _ message: String) -> Answer {
    Answer([], .refused(EngagementError(code, message)))
  }

  /// Asks to retry the operation, without changes.
  public static func retry(
    _ code: EngagementError.Code, _ message: String, after delay: Duration? = nil
  ) -> Answer {
    Answer([], .retry(EngagementError(code, message, retryAfter: delay)))
  }
}

/// The result of the operation.
public enum Verdict: Hashable, Sendable {
  case done
  /// The operation is done except for these events, each with its reason. The vendor accepted the
  /// others.
  case partly(rejected: [EventID: String])
  /// A retry may succeed, but not before the error's `retryAfter` if it has one.
  case retry(EngagementError)
  /// A retry would not help.
  case refused(EngagementError)
  /// A retry may succeed after this renewal.
  case renew(Renewal)
}

/// How to get a new credential.
public enum Renewal: Hashable, Sendable {
  /// The kit asks the application for a new one.
  case credential
  /// The vendor answers this operation with a new one.
  case operation(Operation)
}

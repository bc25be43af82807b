public import EngagementModel

/// What a response means. A refusal, too, may bring any change.
public struct Answer: Hashable, Sendable {
  public var changes: [Change]
  public var verdict: Verdict

  public init(_ changes: [Change] = [], _ verdict: Verdict = .done) {
    self.changes = changes
    self.verdict = verdict
  }

  /// The operation is refused and the answer brings nothing else.
  public static func refused(_ code: EngagementError.Code, _ message: String) -> Answer {
    Answer([], .refused(EngagementError(code, message)))
  }

  /// The operation may work later and the answer brings nothing else.
  public static func retry(
    _ code: EngagementError.Code, _ message: String, after delay: Duration? = nil
  ) -> Answer {
    Answer([], .retry(EngagementError(code, message, retryAfter: delay)))
  }
}

/// What becomes of the operation.
public enum Verdict: Hashable, Sendable {
  case done
  /// Done, but for these events, each with a reason; the others are settled.
  case partly(rejected: [EventID: String])
  /// Worth trying again, not before the error's `retryAfter` where the vendor has a wish.
  case retry(EngagementError)
  /// Trying again would not help.
  case refused(EngagementError)
  /// Worth trying again once this is renewed.
  case renew(Renewal)
}

/// Whose turn it is to bring a new credential.
public enum Renewal: Hashable, Sendable {
  /// The application is asked for a new one.
  case credential
  /// The vendor gives a new one in answer to this.
  case operation(Operation)
}

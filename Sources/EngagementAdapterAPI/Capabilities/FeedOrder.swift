/// A vendor's order of the items in a feed. Items that compare equal keep the order in which they
/// were sent, so the order is stable.
public enum FeedOrder: String, Hashable, Sendable {
  /// The order of the vendor's list.
  case asSent
  /// Pinned items first, then by creation, the newest first.
  case newestFirst
  /// By priority, the most urgent first, with an absent one as 5. Then by activation, then by
  /// creation, the newest first.
  case byPriority
}

/// How the kit asks the application for its credential.
public struct CredentialRules: Hashable, Sendable {
  /// How long the application may take to answer; nil if the vendor needs no credential.
  public var answerWithin: Duration?
  /// How long the kit does not ask again after the application had no credential.
  public var retryInterval: Duration
  /// How long before its expiry a credential counts as expired.
  public var expiryMargin: Duration

  public init(
    answerWithin: Duration? = nil, retryInterval: Duration = .zero,
    expiryMargin: Duration = .seconds(60)
  ) {
    self.answerWithin = answerWithin
    self.retryInterval = retryInterval
    self.expiryMargin = expiryMargin
  }
}

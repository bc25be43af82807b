/// A vendor's own order of the items of a feed. Items that are equal in it keep the order in
/// which they were sent, so that the same items always come in the same order.
public enum FeedOrder: String, Hashable, Sendable {
  /// As the vendor listed them.
  case asSent
  /// Pinned first, then the one created last.
  case newestFirst
  /// The most urgent first, an absent priority as 5; then the one active last, then the one
  /// created last.
  case byPriority
}

/// How the application is asked for a credential of its own.
public struct CredentialRules: Hashable, Sendable {
  /// How long the application may take to answer; nil for a vendor that needs no credential.
  public var answerWithin: Duration?
  /// How long nobody asks again after it had none.
  public var retryInterval: Duration
  /// How long before its end a credential counts as ended.
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

public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// The messages that the inbox shows.
  public struct InboxFeed: Hashable, Sendable {
    /// When each provider of the route last answered; nil for one that never did.
    // First, since `==` compares members in order and this one differs most often.
    var freshness: [ProviderID: Date?]
    /// In the order of the route.
    public var messages: [InboxMessage]
    /// How many of them are unread.
    public var unreadCount: Int

    /// A feed with these messages, such as for a preview or a test.
    public init(_ messages: [InboxMessage] = [], refreshDates: [ProviderID: Date] = [:]) {
      self.init(messages, freshness: refreshDates.mapValues { $0 })
    }

    init(_ messages: [InboxMessage] = [], freshness: [ProviderID: Date?]) {
      self.messages = messages
      self.freshness = freshness
      unreadCount = messages.count { !$0.isRead }
    }

    /// The providers of the route, by id.
    public var providers: [ProviderID] { freshness.keys.sorted() }

    /// When the provider last answered; nil if it never did or is not in the route.
    public func refreshDate(of provider: ProviderID) -> Date? { freshness[provider] ?? nil }
  }
}

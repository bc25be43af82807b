public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// The messages of the inbox, as its user sees them now.
  public struct InboxFeed: Hashable, Sendable {
    /// When each provider of the route last spoke of its part; nil for one that never did.
    // It is what mostly differs, and the first member is the first to be compared.
    var freshness: [ProviderID: Date?]
    /// In the order of the route.
    public var messages: [InboxMessage]
    /// How many of them were not read yet.
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

    /// When the provider last answered with its messages; nil where it never did or is not in the
    /// route.
    public func refreshDate(of provider: ProviderID) -> Date? { freshness[provider] ?? nil }
  }
}

public import EngagementModel
public import FoundationEssentials

/// The messages of the inbox, as its user sees them now.
public struct InboxFeed: Hashable, Sendable {
  /// When each provider of the route last spoke of its part; nil for one that never did.
  // It is what mostly differs, and the first member is the first to be compared.
  public var freshness: [ProviderID: Date?]
  /// In the order of the route.
  public var messages: [InboxMessage]
  /// How many of them were not read yet.
  public var unreadCount: Int

  public init(_ messages: [InboxMessage] = [], freshness: [ProviderID: Date?] = [:]) {
    self.messages = messages
    self.freshness = freshness
    unreadCount = messages.count { !$0.read }
  }
}

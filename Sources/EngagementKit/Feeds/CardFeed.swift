public import EngagementModel
public import EngagementPlatform
import EngagementStore

extension Engagement {
  /// The cards of one of the application's containers, as its user sees them now.
  public struct CardFeed: Hashable, Sendable {
    /// When each provider of the route last spoke of its part; nil for one that never did.
    // It is what mostly differs, and the first member is the first to be compared.
    var freshness: [ProviderID: Date?]
    /// In the order of the route.
    public var cards: [Card]
    /// How many of them were not viewed yet. Control cards are never counted.
    public var unreadCount: Int
    /// How many cards there are, with those that vendors say they have and do not list.
    public var total: Int

    /// A feed with these cards, such as for a preview or a test.
    public init(
      _ cards: [Card] = [], total: Int? = nil, refreshDates: [ProviderID: Date] = [:]
    ) {
      self.init(cards, total: total, freshness: refreshDates.mapValues { $0 })
    }

    init(_ cards: [Card] = [], total: Int? = nil, freshness: [ProviderID: Date?]) {
      let view = FeedView(items: cards)
      self.init(
        cards, unreadCount: view.unreadCount, total: max(total ?? 0, view.shown.count),
        freshness: freshness)
    }

    init(_ cards: [Card], unreadCount: Int, total: Int, freshness: [ProviderID: Date?]) {
      self.cards = cards
      self.unreadCount = unreadCount
      self.total = total
      self.freshness = freshness
    }

    /// The providers of the route, by id.
    public var providers: [ProviderID] { freshness.keys.sorted() }

    /// When the provider last answered with its cards; nil where it never did or is not in the
    /// route.
    public func refreshDate(of provider: ProviderID) -> Date? { freshness[provider] ?? nil }

    /// How many cards there are.
    public var count: CardCount {
      CardCount(
        visible: cards.count { $0.kind != .control }, unread: unreadCount, total: total)
    }
  }

  /// How many cards a container has. Control cards are never counted.
  public struct CardCount: Hashable, Sendable {
    public var visible: Int
    public var unread: Int
    /// With those that vendors say they have and do not list.
    public var total: Int

    public init(visible: Int, unread: Int, total: Int) {
      self.visible = visible
      self.unread = unread
      self.total = total
    }
  }
}

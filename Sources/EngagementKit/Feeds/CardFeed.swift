public import EngagementModel
public import EngagementPlatform
import EngagementStore

extension Engagement {
  /// The cards that one of the application's containers shows.
  public struct CardFeed: Hashable, Sendable {
    /// When each provider of the route last answered; nil for one that never did.
    // First, since `==` compares members in order and this one differs most often.
    var freshness: [ProviderID: Date?]
    /// In the order of the route.
    public var cards: [Card]
    /// How many of them are not viewed yet, without control cards.
    public var unreadCount: Int
    /// How many cards there are, including those that vendors count and do not list.
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

    /// When the provider last answered; nil if it never did or is not in the route.
    public func refreshDate(of provider: ProviderID) -> Date? { freshness[provider] ?? nil }

    /// How many cards there are.
    public var count: CardCount {
      CardCount(
        visible: cards.count { $0.kind != .control }, unread: unreadCount, total: total)
    }
  }

  /// How many cards a container shows, without control cards.
  public struct CardCount: Hashable, Sendable {
    public var visible: Int
    public var unread: Int
    /// Including those that vendors count and do not list.
    public var total: Int

    public init(visible: Int, unread: Int, total: Int) {
      self.visible = visible
      self.unread = unread
      self.total = total
    }
  }
}

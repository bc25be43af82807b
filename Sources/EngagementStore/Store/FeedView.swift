package import EngagementModel
package import FoundationEssentials

/// What is counted of the items of a feed.
package protocol FeedItem: Hashable, Sendable, Identifiable<ItemID> {
  /// False for what is in a feed and never on a screen.
  var isShown: Bool { get }
  var isUnread: Bool { get }
}

/// A feed as its user sees it now: the vendor's truth with the overlay laid over it, in the
/// vendor's order, without what has ended or is hidden.
///
/// What is counted is kept while single items change: a long feed is not walked for one of them.
package struct FeedView<Item: FeedItem>: Hashable, Sendable {
  /// When the vendor last spoke of the feed; nil for never.
  // It is what mostly differs, and the first member is the first to be compared.
  package var refreshedAt: Date?
  package private(set) var items: [Item]
  /// Those on screens; nil as long as all are.
  private var onScreen: [Item]?
  /// How many of them were neither viewed nor read.
  package private(set) var unreadCount = 0
  /// How many items the vendor says the feed has, where it says so.
  package var total: Int?
  /// When time alone changes what is seen; nil for never.
  package var validUntil: Date?

  package init(
    items: [Item] = [], total: Int? = nil, refreshedAt: Date? = nil, validUntil: Date? = nil
  ) {
    self.items = items
    self.total = total
    self.refreshedAt = refreshedAt
    self.validUntil = validUntil
    var shownCount = 0
    for item in items where item.isShown {
      shownCount += 1
      if item.isUnread { unreadCount += 1 }
    }
    if shownCount < items.count { onScreen = items.filter(\.isShown) }
  }

  /// The items that are on screens.
  package var shown: [Item] { onScreen ?? items }

  /// The same feed with other items.
  package func with(_ items: [Item]) -> FeedView {
    FeedView(items: items, total: total, refreshedAt: refreshedAt, validUntil: validUntil)
  }

  /// Puts what has become of an item in its place, or takes it out where that is nothing.
  mutating func replace(at place: Int, by new: Item?) {
    let old = items[place]
    items.put(new, at: place)
    guard old.isShown else { return }
    if old.isUnread { unreadCount -= 1 }
    if new?.isUnread == true { unreadCount += 1 }
    if let place = onScreen?.firstIndex(where: { $0.id == old.id }) {
      onScreen?.put(new, at: place)
    }
  }
}

extension Array {
  fileprivate mutating func put(_ element: Element?, at place: Int) {
    if let element { self[place] = element } else { remove(at: place) }
  }
}

extension Card: FeedItem {
  package var isShown: Bool { self.kind != .control }
  package var isUnread: Bool { !self.viewed }
}

extension InboxMessage: FeedItem {
  package var isShown: Bool { true }
  package var isUnread: Bool { !read }
}

extension Campaign: FeedItem {
  package var isShown: Bool { true }
  package var isUnread: Bool { false }
}

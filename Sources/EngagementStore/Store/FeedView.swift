package import EngagementModel
package import EngagementPlatform

/// What a feed counts of its items.
package protocol FeedItem: Hashable, Sendable, Identifiable<ItemID> {
  /// False for an item that is in the feed and never on a screen.
  var isShown: Bool { get }
  var isUnread: Bool { get }
  /// Which content the item is a copy of; nil if it has no key.
  var contentKey: ContentKey? { get }
}

/// A feed as its user sees it now: the vendor's state under the overlay, in the vendor's order,
/// without items that have ended or are hidden.
///
/// The counts are updated when single items change, so that a long feed is not counted again.
package struct FeedView<Item: FeedItem>: Hashable, Sendable {
  /// When the vendor last spoke of the feed; nil for never.
  // The first member is compared first, and this one differs most often.
  package var refreshedAt: Date?
  package private(set) var items: [Item]
  /// The items that are on screens; nil as long as all are.
  private var onScreen: [Item]?
  /// How many of the items on screens were neither viewed nor read.
  package private(set) var unreadCount = 0
  /// How many items the vendor says the feed has; nil if it does not say.
  package var total: Int?
  /// When the view changes without a commit; nil for never.
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

  /// The same feed with fewer items on screens, which the caller has counted.
  package func with(_ items: [Item], onScreen: [Item], unreadCount: Int) -> FeedView {
    var view = self
    view.items = items
    view.onScreen = items.count == onScreen.count ? nil : onScreen
    view.unreadCount = unreadCount
    return view
  }

  /// Replaces an item; removes it if the new one is nil.
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
  package var isUnread: Bool { !self.isViewed }
}

extension InboxMessage: FeedItem {
  package var isShown: Bool { true }
  package var isUnread: Bool { !isRead }
}

extension Campaign: FeedItem {
  package var contentKey: ContentKey? { nil }
  package var isShown: Bool { true }
  package var isUnread: Bool { false }
}

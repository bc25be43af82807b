import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// A view that stays the same until the source changes or its time comes.
struct CachedView<Item: FeedItem>: Sendable {
  private var view: FeedView<Item>
  /// The source's view version that it shows.
  private var version: Int
  private let madeAt: Date

  init(_ view: FeedView<Item>, version: Int, madeAt: Date) {
    self.view = view
    self.version = version
    self.madeAt = madeAt
  }

  /// The view; nil if the source or time has changed it.
  func view(for version: Int, at now: Date) -> FeedView<Item>? {
    let isValid =
      self.version == version && madeAt <= now && (view.validUntil.map { now < $0 } ?? true)
    return isValid ? view : nil
  }
}

extension CachedView<Card> {
  /// Shows a card under another overlay than before, and takes the view to the new version. Does
  /// nothing if the view is older than `before`, or if all cards have to be looked at.
  mutating func show(
    _ card: Card, under overlay: Overlay, insteadOf old: Overlay, from before: Int, to after: Int
  ) {
    guard version == before, replace(card, under: overlay, insteadOf: old) else { return }
    version = after
  }

  private mutating func replace(
    _ card: Card, under overlay: Overlay, insteadOf former: Overlay
  ) -> Bool {
    let old = Visibility(until: card.expiresAt, under: former, at: madeAt)
    let new = Visibility(until: card.expiresAt, under: overlay, at: madeAt)
    // The view's `validUntil` may come from this card.
    guard old.isVisible, old.changesAt == new.changesAt || old.changesAt != view.validUntil
    else { return false }
    guard let place = view.items.firstIndex(where: { $0.id == card.id }) else { return true }
    var changed = overlay.applied(to: card)
    changed.container = view.items[place].container
    view.replace(at: place, by: new.isVisible ? changed : nil)
    view.validUntil = [view.validUntil, new.changesAt].compactMap(\.self).min()
    return true
  }
}

/// The items that the user sees, and when time alone changes that.
struct VisibleItems<Item> {
  private(set) var items: [Item] = []
  private(set) var validUntil: Date?

  mutating func reserve(_ count: Int) { items.reserveCapacity(count) }

  /// Adds the item if the user sees it, and notes when that changes.
  mutating func add(_ item: Item, until end: Date?, _ overlay: Overlay?, at now: Date) {
    let visibility = Visibility(until: end, under: overlay, at: now)
    if visibility.isVisible { items.append(item) }
    if let change = visibility.changesAt { validUntil = min(validUntil ?? change, change) }
  }
}

import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation

@testable import EngagementStore

/// A simple model of the item cache for one provider's cards: lists of ids, and a body for each id.
/// It stores no derived values.
struct ItemCacheReference {
  let adapter: PaperAdapter
  private var bodies: [String: RawItem] = [:]
  private var feeds: [Feed: [String]] = [:]
  private var overlays: [String: Overlay] = [:]
  private var hasBadItems: [Feed: Bool] = [:]

  init(_ adapter: PaperAdapter) { self.adapter = adapter }

  mutating func commit(_ changes: [Change], at now: Date) {
    var isTouched = false
    for change in changes {
      switch change {
      case .items(let feed, let mode, let items):
        deliver(items, mode, to: feed)
        isTouched = true
      case .removed(let feed, let ids):
        feeds[feed]?.removeAll { ids.contains($0) }
        isTouched = true
      default: break
      }
      bodies = bodies.filter { id, _ in feeds.values.contains { $0.contains(id) } }
    }
    if isTouched { settle(at: now) }
  }

  mutating func act(_ action: ItemAction, on id: String, at now: Date) {
    overlays[id, default: Overlay()].record(action, at: now)
  }

  mutating func undo(_ action: ItemAction, on id: String) { overlays[id]?.undo(action) }

  /// Forgets the only state outside the file: whether the last lists had bad items.
  mutating func forget() { hasBadItems = [:] }

  func cards(in feed: Feed, at now: Date) -> [Card] {
    (feeds[feed] ?? []).compactMap { id in
      guard var card = card(id), !card.isDismissed else { return nil }
      if let end = card.expiresAt, end <= now { return nil }
      card.container = feed.container
      guard let overlay = overlays[id] else { return card }
      return overlay.hides(at: now) ? nil : overlay.applied(to: card)
    }.sorted(by: adapter.capabilities.order(of: .cards))
  }

  private func card(_ id: String) -> Card? {
    bodies[id].flatMap { try? adapter.card(in: $0) }
  }

  private mutating func deliver(_ items: [RawItem], _ mode: ItemMode, to feed: Feed) {
    let before = feeds[feed] ?? []
    var after: [String] = []
    if case .replace = mode { hasBadItems[feed] = false } else { after = before }
    for item in items {
      guard let id = take(item, mode, feed) else { continue }
      if !after.contains(id) { after.append(id) }
    }
    if case .replace(let retention) = mode, retention.testItems {
      after = before.filter { !after.contains($0) && card($0)?.isTest == true } + after
    }
    feeds[feed] = after
  }

  /// Stores the item's bytes and returns its id; nil if the item is unreadable.
  private mutating func take(_ item: RawItem, _ mode: ItemMode, _ feed: Feed) -> String? {
    var item = item
    let base = item.id.flatMap { bodies[$0] }
    if case .patch(let rules) = mode, let base {
      guard item.fault == nil,
        let merged = try? ItemPatch.merged(base.bytes, with: item.bytes, by: rules)
      else {
        if item.fault != nil { hasBadItems[feed] = true }
        return item.fault == nil ? item.id : nil
      }
      item = RawItem(index: item.index, bytes: merged[...])
    }
    guard item.fault == nil, let card = try? adapter.card(in: item) else {
      if (try? JSONFields(item))?.string("kind") == nil { hasBadItems[feed] = true }
      return nil
    }
    let id = card.id.value
    if case .replace(let retention) = mode, let base = bodies[id],
      let kept = try? ItemPatch.retaining(base.bytes, in: item.bytes, by: retention)
    {
      item = RawItem(index: item.index, bytes: kept[...])
    }
    bodies[id] = item
    return id
  }

  private mutating func settle(at now: Date) {
    for id in overlays.keys {
      if let card = card(id) {
        overlays[id]?.settle(with: card, at: now)
      } else if !hasBadItems.values.contains(true) {
        overlays[id] = nil
      }
    }
  }
}

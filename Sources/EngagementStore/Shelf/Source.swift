import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

/// What is held in memory of a source, so that nothing is read or mapped twice.
struct Source: Sendable {
  let key: SourceKey
  let seal: ItemSeal
  /// Nil where the provider is not there any more: nothing of it is shown.
  let mapper: ItemMapper?
  /// Nil as long as the cache has nothing of the source.
  var row: Int64?
  var feeds: [FeedName: ListedFeed] = [:]
  var overlays: [ItemName: Overlay] = [:]
  /// What was mapped so far.
  var contents: [Int64: Content] = [:]
  /// The messages of all feeds as they were seen last.
  var messages: Glance<InboxMessage>?
  /// Nil until something is committed: reading does without.
  var index: ItemIndex?
  /// Counts what changes in items and lists.
  var version = 0
  /// Counts what changes in what is seen.
  var looks = 0

  init(_ key: SourceKey, of partition: Partition, mapper: ItemMapper?) {
    self.key = key
    self.mapper = mapper
    seal = ItemSeal(partition, key.provider, key.surface)
  }

  mutating func noteChange() {
    version += 1
    looks += 1
  }

  /// Verifies and maps a row, and keeps what it is; nil where it is not what was written.
  @discardableResult mutating func open(_ found: ItemTable.Found) -> Content? {
    guard let hash = seal.verified(found.body, of: found.name, by: found.seal),
      let content = mapper?.content(of: found.body, hash: hash),
      content.name.bytes == found.name
    else { return nil }
    contents[found.row] = content
    return content
  }

  /// Whether any feed lists the item; only once the source is indexed.
  func lists(_ item: Int64) -> Bool { feeds.values.contains { $0.members[item] != nil } }

  /// The feeds in which the item may be.
  func keys(listing name: ItemName) -> Set<FeedKey> {
    guard let index else { return Set(feeds.values.map { FeedKey(key.provider, $0.feed) }) }
    guard let row = index.row(of: name) else { return [] }
    let listing = feeds.values.filter { $0.members[row] != nil }
    return Set(listing.map { FeedKey(key.provider, $0.feed) })
  }
}

/// One feed of a source.
struct ListedFeed: Sendable {
  let row: Int64
  let feed: Feed
  var total: Int?
  var refreshed: Date?
  /// What is in it; only once the source is indexed.
  var members: [Int64: Membership] = [:]
  /// The highest place that was given.
  var lastPlace: Int64?
  var lastDelivery: Delivery?
  /// Whether its last list had items that nobody could read: what seems to be gone may be one.
  var hasBadItems = false
  /// The cards as they were seen last.
  var glance: Glance<Card>?

  init(_ row: Int64, _ feed: Feed, total: Int? = nil, refreshed: Date? = nil) {
    self.row = row
    self.feed = feed
    self.total = total
    self.refreshed = refreshed
  }

  mutating func note(_ row: Int64, _ membership: Membership) {
    members[row] = membership
    lastPlace = max(lastPlace ?? .min, membership.place)
  }

  /// A list as a vendor sent it, to see whether the next one is the same.
  struct Delivery: Hashable, Sendable {
    var mode: ItemMode
    var hashes: [UInt64]
    /// The source's version that it led to.
    var version: Int
  }
}

/// Items that stay as they are until the source changes or their time comes.
struct Glance<Item: FeedItem>: Sendable {
  var view: FeedView<Item>
  var looks: Int
  var madeAt: Date

  func holds(_ looks: Int, at now: Date) -> Bool {
    self.looks == looks && madeAt <= now && (view.validUntil.map { now < $0 } ?? true)
  }
}

extension Glance<Card> {
  /// Shows a card under another overlay than before; false where that takes a look at all cards.
  mutating func show(_ card: Card, under overlay: Overlay, before: Overlay) -> Bool {
    let old = Visibility(until: card.expiresAt, under: before, at: madeAt)
    let new = Visibility(until: card.expiresAt, under: overlay, at: madeAt)
    // It might be the one that the time of the next change was of.
    guard old.isVisible, old.changesAt == new.changesAt || old.changesAt != view.validUntil
    else {
      return false
    }
    guard let place = view.items.firstIndex(where: { $0.id == card.id }) else { return true }
    var changed = overlay.applied(to: card)
    changed.container = view.items[place].container
    view.replace(at: place, by: new.isVisible ? changed : nil)
    view.validUntil = [view.validUntil, new.changesAt].compactMap(\.self).min()
    return true
  }
}

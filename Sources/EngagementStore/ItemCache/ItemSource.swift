import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The items and feeds of one source, in memory and in the cache.
struct ItemSource: Sendable {
  let key: ItemSourceKey
  /// Nil as long as the cache has nothing of the source.
  private var row: Int64?
  private var items: SourceItems
  private var feeds: [FeedName: ListedFeed] = [:]
  private var overlays: SourceOverlays
  /// The messages of all feeds as the user saw them last.
  private var messages: CachedView<InboxMessage>?
  /// Increases with each change of items and lists.
  private(set) var contentVersion = 0
  /// Increases with each change of what the user sees.
  private var viewVersion = 0

  /// - Parameter contents: What was done to the copies of contents; nil without content keys.
  init(
    _ key: ItemSourceKey, of partition: Partition, mapper: ItemMapper?,
    _ contents: Locked<ContentMarks>?
  ) {
    self.key = key
    overlays = SourceOverlays(on: key.surface, contents)
    items = SourceItems(
      ItemChecksum(partition, key.provider, key.surface), mapper: mapper)
  }

  /// Reads the feeds and the overlays.
  mutating func read(
    from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    guard let row = try tables.feeds.source(key, on: &database) else { return }
    self.row = row
    for found in try tables.feeds.feeds(of: row, on: &database) {
      guard let feed = found.name.feed(on: key.surface) else { continue }
      feeds[found.name] = ListedFeed(
        found.row, feed, total: found.total, refreshedAt: found.refreshed)
    }
    try overlays.read(of: row, from: &tables.overlays, on: &database)
  }

  /// The source's row, made if there is none.
  private mutating func makeRow(
    in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    if let row { return row }
    let row = try tables.feeds.insertSource(key, on: &database)
    self.row = row
    return row
  }

  /// Reads which items there are, their hashes and where they are listed.
  private mutating func index(
    in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    guard !items.isIndexed else { return }
    let row = try makeRow(in: &tables, on: &database)
    try items.readIndex(of: row, from: &tables, on: &database)
    for name in feeds.keys {
      try feeds[name]?.readMembers(from: &tables.memberships, on: &database)
    }
  }

  private mutating func noteChange() {
    contentVersion += 1
    viewVersion += 1
  }
}

// MARK: Reading

extension ItemSource {
  /// The vendor's order; nil if the provider is no longer configured.
  var order: FeedOrder? { items.order }

  func listed(_ feed: Feed) -> ListedFeed? { feeds[FeedName(feed)] }

  /// The feed without a container first, then by container and filters.
  var feedsInOrder: [ListedFeed] {
    feeds.sorted { left, right in
      let names = (left.value.feed.container, right.value.feed.container)
      guard names.0 != names.1 else { return left.key < right.key }
      guard let first = names.0, let second = names.1 else { return names.0 == nil }
      return first < second
    }.map(\.value)
  }

  /// What the user did to the item itself.
  func overlay(of id: ItemID) -> Overlay? { overlays.own(of: ItemKey(id.value)) }

  /// What the user did to the item and to the other copies of its content.
  func overlay(of id: ItemID, _ key: ContentKey?) -> Overlay? { overlays.overlay(of: id, key) }

  var overlaysInOrder: [(name: ItemKey, overlay: Overlay)] { overlays.inOrder }

  /// The item's row; nil if the source has no such item.
  func row(
    of name: ItemKey, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    try items.row(of: name, in: row, from: &tables.items, on: &database)
  }

  /// The item as its adapter understands it; nil if its bytes differ from their checksum.
  mutating func content(
    of row: Int64, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> ItemContent? {
    try items.content(of: row, from: &tables.items, on: &database)
  }

  /// Reads the rows that are listed in the feed and not in memory.
  mutating func load(
    _ rows: [Int64], in feed: ListedFeed, endingAfter time: Int64 = .min,
    from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    try items.load(rows, in: feed.row, endingAfter: time, from: &tables.items, on: &database)
  }

  /// Verifies a row and maps its item; nil for bytes that differ from their checksum.
  /// The content is nil if the adapter does not understand the item any more.
  func verified(_ found: ItemTable.Found) -> (hash: UInt64, content: ItemContent?)? {
    items.hash(of: found).map { ($0, items.content(of: found, hash: $0)) }
  }

  /// The feeds that may list one of the items.
  private func feeds(listing rows: [Int64]) -> Set<FeedKey> {
    var listing = Array(feeds.values)
    if items.isIndexed { listing = listing.filter { rows.contains(where: $0.lists) } }
    return Set(listing.map { FeedKey(key.provider, $0.feed) })
  }
}

// MARK: Cached views

extension ItemSource {
  /// The cards as they were seen last; nil if something has changed since.
  func cachedCards(of feed: Feed, at now: Date) -> FeedView<Card>? {
    listed(feed)?.cards?.view(for: viewVersion, at: now)
  }

  mutating func cache(_ view: FeedView<Card>, of feed: Feed, at now: Date) {
    feeds[FeedName(feed)]?.cards = CachedView(view, version: viewVersion, madeAt: now)
  }

  /// The messages as they were seen last; nil if something has changed since.
  func cachedMessages(at now: Date) -> FeedView<InboxMessage>? {
    messages?.view(for: viewVersion, at: now)
  }

  mutating func cache(_ view: FeedView<InboxMessage>, at now: Date) {
    messages = CachedView(view, version: viewVersion, madeAt: now)
  }
}

// MARK: Changes of the vendor

extension ItemSource {
  /// Applies what the vendor says of one feed.
  mutating func apply(
    _ change: FeedChange, refreshedAt: Date?, at now: Date, to report: inout CommitReport,
    in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    let name = FeedName(change.feed)
    report.feeds.insert(FeedKey(key.provider, change.feed))
    if feeds[name] == nil {
      let row = try makeRow(in: &tables, on: &database)
      feeds[name] = ListedFeed(
        try tables.feeds.insert(name, of: row, on: &database), change.feed)
    }
    switch change.effect {
    case .items(let mode, let list):
      try index(in: &tables, on: &database)
      try deliver(list, mode, to: name, at: now, to: &report, in: &tables, on: &database)
    case .removed(let ids):
      try index(in: &tables, on: &database)
      let rows = ids.compactMap { items.row(of: ItemKey($0)) }
      try drop(Set(rows), from: name, in: &tables, on: &database)
    case .total(let count): feeds[name]?.total = count
    case .unchanged: break
    }
    if let refreshedAt {
      feeds[name]?.refreshedAt = Milliseconds.date(Milliseconds.nearest(refreshedAt))
    }
    guard let feed = feeds[name] else { return }
    try tables.feeds.update(
      feed.row, total: feed.total, refreshed: feed.refreshedAt, on: &database)
  }

  /// Applies a list of items. Unchanged items are neither mapped nor written.
  private mutating func deliver(
    _ list: [RawItem], _ mode: ItemMode, to name: FeedName, at now: Date,
    to report: inout CommitReport, in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    var delivery = ListedFeed.Delivery(
      mode: mode, hashes: list.map(\.hash), version: contentVersion)
    guard feeds[name]?.lastDelivery != delivery else { return }
    var rows: [Int64] = []
    var listed: Set<Int64> = []
    var written = SourceItems.Written(
      added: AddedItems(of: key.provider, on: key.surface, in: feeds[name]?.feed.container))
    var bad: Set<UInt64> = []
    rows.reserveCapacity(list.count)
    listed.reserveCapacity(list.count)
    if items.isEmpty, feeds.values.allSatisfy(\.isEmpty) { items.reserve(list.count) }
    if mode.retention != nil { feeds[name]?.hasBadItems = false }
    let source = try makeRow(in: &tables, on: &database)
    for item in list {
      switch try items.store(
        item, mode, of: source, noting: &written, in: &tables.items, on: &database)
      {
      case .row(let row): if listed.insert(row).inserted { rows.append(row) }
      case .unknown: break
      case .bad(let reason):
        feeds[name]?.hasBadItems = true
        bad.insert(item.hash)
        guard let feed = feeds[name] else { continue }
        let isNew = try tables.quarantine.add(
          item.hash, at: item.index, of: feed.row, reason, at: now, on: &database)
        guard isNew else { continue }
        report.quarantined.append(
          .init(FeedKey(key.provider, feed.feed), index: item.index, reason: reason))
      }
    }
    let changed = written.changed
    // A campaign is a rule, and what it shows is recorded when it is shown.
    if key.surface != .campaigns, written.added.count > 0 { report.added.append(written.added) }
    if let retention = mode.retention {
      if let feed = feeds[name] {
        try tables.quarantine.keep(bad, of: feed.row, on: &database)
        let rest = try feed.rest(
          without: listed, retention, in: &items, from: &tables.items, on: &database)
        rows = rest.kept + rows
        try drop(rest.dropped, from: name, in: &tables, on: &database)
      }
      try self.list(rows, .asListed, in: name, changed, tables: &tables, on: &database)
    } else {
      try self.list(rows, .behind, in: name, changed, tables: &tables, on: &database)
    }
    report.feeds.formUnion(try relist(changed, except: name, in: &tables, on: &database))
    delivery.version = contentVersion
    feeds[name]?.lastDelivery = delivery
  }

  /// Lists the items in the feed, in their order, and writes the places that changed.
  private mutating func list(
    _ rows: [Int64], _ placing: ListedFeed.Placing, in name: FeedName, _ changed: Set<Int64>,
    tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = feeds[name] else { return }
    let moves = try feed.moves(
      of: rows, placed: placing, changed, in: &items, from: &tables.items, on: &database)
    if !moves.isEmpty || !changed.isEmpty { noteChange() }
    try feeds[name]?.apply(moves, in: &tables.memberships, on: &database)
  }

  /// Moves changed items to their new places in the other feeds; returns these feeds.
  private mutating func relist(
    _ changed: Set<Int64>, except name: FeedName, in tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    var keys: Set<FeedKey> = []
    guard !changed.isEmpty else { return keys }
    for (other, feed) in feeds where other != name {
      let rows = changed.filter(feed.lists)
      guard !rows.isEmpty else { continue }
      keys.insert(FeedKey(key.provider, feed.feed))
      try list(Array(rows), .behind, in: other, changed, tables: &tables, on: &database)
    }
    return keys
  }

  /// Takes items from the feed. Deletes those that no other feed lists.
  private mutating func drop(
    _ rows: Set<Int64>, from name: FeedName, in tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) {
    for row in rows {
      let wasListed = try feeds[name]?.remove(row, in: &tables.memberships, on: &database)
      guard wasListed == true else { continue }
      noteChange()
      guard !feeds.values.contains(where: { $0.lists(row) }) else { continue }
      try items.delete(row, in: &tables.items, on: &database)
    }
  }
}

// MARK: Overlays

extension ItemSource {
  /// Ends the overlays that the vendor agrees with or whose item it no longer lists.
  mutating func settleOverlays(
    at now: Date, in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    try index(in: &tables, on: &database)
    let mayBeUnread = feeds.values.contains(where: \.hasBadItems)
    for (name, overlay) in overlays.all {
      var settled = overlay
      if let row = items.row(of: name) {
        guard let content = try content(of: row, from: &tables, on: &database) else { continue }
        settled.settle(with: content, at: now)
      } else if !mayBeUnread {
        settled = Overlay()
      }
      if settled != overlay { try set(settled, of: name, in: &tables, on: &database) }
    }
  }

  /// Lets the body change an overlay. Returns the feeds that may look different now, and which copy
  /// of which content the item is; no key if it is none.
  mutating func editOverlay(
    of name: ItemKey, in tables: inout ItemTables, on database: inout Database,
    _ body: (inout Overlay) -> Void
  ) throws(EngagementError) -> (feeds: Set<FeedKey>, copy: ContentMarks.Copy?, key: ContentKey?) {
    let before = overlays.own(of: name) ?? Overlay()
    var after = before
    body(&after)
    after = after.asStored
    guard after != before || items.hasKeys else { return ([], nil, nil) }
    let itemRow = try self.row(of: name, from: &tables, on: &database)
    let content: ItemContent? =
      if let itemRow { try content(of: itemRow, from: &tables, on: &database) } else { nil }
    var changed: Set<FeedKey> = []
    if after != before {
      let old = overlays.overlay(of: name, content?.contentKey)
      try set(after, of: name, in: &tables, on: &database, showing: content, insteadOf: old)
      changed = feeds(listing: itemRow.map { [$0] } ?? [])
    }
    let copy = row.map { ContentMarks.Copy(source: $0, surface: key.surface, name: name) }
    return (changed, copy, content?.contentKey)
  }

  private mutating func set(
    _ overlay: Overlay, of name: ItemKey, in tables: inout ItemTables,
    on database: inout Database, showing content: ItemContent? = nil,
    insteadOf old: Overlay? = nil
  ) throws(EngagementError) {
    let row = try makeRow(in: &tables, on: &database)
    try overlays.set(overlay, of: name, in: row, table: &tables.overlays, on: &database)
    noteViewChange(of: content, insteadOf: old)
  }

  /// Updates one card in the cached views that were valid until its overlay changed.
  private mutating func noteViewChange(of content: ItemContent?, insteadOf old: Overlay?) {
    let version = viewVersion
    viewVersion += 1
    guard case .card(let card)? = content else { return }
    let new = overlays.overlay(of: card.id, card.contentKey)
    for feed in feeds.keys {
      feeds[feed]?.cards?.show(
        card, under: new ?? Overlay(), insteadOf: old ?? Overlay(), from: version, to: viewVersion)
    }
  }
}

// MARK: Contents

extension ItemSource {
  /// Shows copies under what counts for their contents now. Returns the feeds that may look different.
  mutating func follow(
    _ changes: [ContentChange], from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    var changed: [Int64] = []
    for change in changes {
      for copy in change.copies where copy.isOf(key) {
        let content = try content(of: copy.item, from: &tables, on: &database)
        guard let content else { continue }
        let old = overlays.overlay(of: content.name, sharing: change.old[key.surface])
        let new = overlays.overlay(of: content.name, sharing: change.new[key.surface])
        guard old != new else { continue }
        changed.append(copy.item)
        noteViewChange(of: content, insteadOf: old)
      }
    }
    return changed.isEmpty ? [] : feeds(listing: changed)
  }

  /// Writes which items are copies of other contents than before, and returns what has changed.
  ///
  /// - Parameter remakes: Whether every item gets its key anew, as if it were new.
  mutating func takeContentNews(
    remaking remakes: Bool = false, at now: Date, in tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> ContentNews? {
    guard let row else { return nil }
    if remakes, items.hasKeys {
      try index(in: &tables, on: &database)
      try items.remakeKeys(of: row, from: &tables.items, on: &database)
    } else if remakes {
      try tables.copies.clear(row, on: &database)
    }
    return try items.takeContentNews(
      of: key, row, overlays, at: now, in: &tables.copies, on: &database)
  }
}

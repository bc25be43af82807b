import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

/// The items of all vendors, the feeds that list them and what users did to them: the statements
/// and what is held in memory of the rows.
///
/// It belongs to the owner of the connection. What changes rows is called inside a transaction;
/// when that fails, or when another process wrote, the owner calls `forgetMemory()`.
struct Shelf: ~Copyable {
  let adapters: [ProviderID: any EngagementAdapter]
  var sources: [SourceKey: Source] = [:]
  /// The sources whose lists changed since the last `finish`.
  var touched: Set<SourceKey> = []

  var feedTable = FeedTable()
  var memberships = MembershipTable()
  var items = ItemTable()
  var overlays = OverlayTable()
  var quarantine = QuarantineTable()

  init(adapters: [ProviderID: any EngagementAdapter]) { self.adapters = adapters }

  /// Drops what is held in memory; the next call reads it from the cache.
  mutating func forgetMemory() {
    sources = [:]
    touched = []
  }

  /// Drops what is held in memory of a user, who is not looked at any more.
  mutating func release(_ partition: Partition.ID) {
    sources = sources.filter { $0.key.partition != partition }
  }

  /// Takes away all that there is of a user.
  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    for (source, _, _) in try feedTable.sources(of: partition, on: &database) {
      for feed in try feedTable.feeds(of: source, on: &database) {
        try memberships.clear(feed.row, on: &database)
      }
      try items.clear(source, on: &database)
      try overlays.clear(source, on: &database)
      try feedTable.deleteSource(source, on: &database)
    }
    sources = sources.filter { $0.key.partition != partition }
    touched = touched.filter { $0.partition != partition }
  }

  /// How many of a user's items are not what was written.
  mutating func damagedItems(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Int {
    var damaged = 0
    for (row, provider, surface) in try feedTable.sources(of: partition.id, on: &database) {
      let seal = ItemSeal(partition, provider, surface)
      let verdicts = try items.all(of: row, on: &database) { item in
        seal.verified(item.body, of: item.name, by: item.seal) != nil
      }
      damaged += verdicts.count { !$0 }
    }
    return damaged
  }
}

// MARK: Memory

extension Shelf {
  /// What is held of the source, read from the cache where nothing is. The caller owns it until
  /// it puts it back, so that a failure in between leaves nothing stale behind.
  mutating func take(
    _ provider: ProviderID, _ surface: Surface, of partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Source {
    let key = SourceKey(partition: partition.id, provider: provider, surface: surface)
    if let source = sources.removeValue(forKey: key) { return source }
    let mapper = adapters[provider].map { ItemMapper($0, for: provider, on: surface) }
    var source = Source(key, of: partition, mapper: mapper)
    guard let row = try feedTable.source(key, on: &database) else { return source }
    source.row = row
    for found in try feedTable.feeds(of: row, on: &database) {
      guard let feed = found.name.feed(on: surface) else { continue }
      source.feeds[found.name] = ListedFeed(
        found.row, feed, total: found.total, refreshed: found.refreshed)
    }
    for (name, overlay) in try overlays.all(of: row, on: &database) {
      source.overlays[name] = overlay
    }
    return source
  }

  mutating func put(_ source: Source) { sources[source.key] = source }

  /// The source's row, made where there is none.
  mutating func row(
    of source: inout Source, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    if let row = source.row { return row }
    let row = try feedTable.insertSource(source.key, on: &database)
    source.row = row
    return row
  }

  /// The item's row; nil where the source has no such item.
  mutating func row(
    of name: ItemName, in source: Source, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    if let index = source.index { return index.row(of: name) }
    guard let owner = source.row else { return nil }
    return try items.row(of: name, in: owner, on: &database)
  }

  /// The item as its adapter understands it; nil where its bytes are not what was written.
  mutating func content(
    of row: Int64, in source: inout Source, on database: inout Database
  ) throws(EngagementError) -> Content? {
    if let content = source.contents[row] { return content }
    guard let found = try items.item(row, on: &database) else { return nil }
    return source.open(found)
  }

  /// Opens what is listed in the feed and was not opened before.
  mutating func open(
    _ rows: [Int64], in feed: Int64, endingAfter time: Int64, of source: inout Source,
    on database: inout Database
  ) throws(EngagementError) {
    let wanted = Set(rows.filter { source.contents[$0] == nil })
    // Each statement alone takes locks on the file.
    guard wanted.count > 1 else { return }
    try items.each(in: feed, endingAfter: time, where: wanted.contains, on: &database) { found in
      source.open(found)
    }
  }
}

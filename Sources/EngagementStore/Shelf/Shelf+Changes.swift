import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// Takes in what a vendor says of its lists; other changes are not for here.
  mutating func apply(
    _ change: Change, from provider: ProviderID, in partition: Partition, at now: Date,
    to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = change.listedFeed else { return }
    guard adapters[provider] != nil else {
      throw EngagementError(.notFound, "There is no provider of that name", provider: provider)
    }
    var source = try take(provider, feed.surface, of: partition, on: &database)
    let name = FeedName(feed)
    try openFeed(name, feed, in: &source, on: &database)
    try apply(change, to: name, of: &source, at: now, report: &report, on: &database)
    source.feeds[name]?.refreshed = Milliseconds.date(Milliseconds.nearest(now))
    try keep(name, of: source, on: &database)
    report.feeds.insert(FeedKey(provider, feed))
    put(source)
  }

  private mutating func apply(
    _ change: Change, to feed: FeedName, of source: inout Source, at now: Date,
    report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    switch change {
    case .items(_, let mode, let items):
      try index(&source, on: &database)
      touched.insert(source.key)
      try deliver(items, mode, to: feed, of: &source, at: now, to: &report, on: &database)
    case .removed(_, let ids):
      try index(&source, on: &database)
      touched.insert(source.key)
      let rows = ids.compactMap { source.index?.row(of: ItemName($0)) }
      try drop(Set(rows), from: feed, of: &source, on: &database)
    case .total(_, let count): source.feeds[feed]?.total = count
    default: break
    }
  }

  private mutating func openFeed(
    _ name: FeedName, _ feed: Feed, in source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard source.feeds[name] == nil else { return }
    let row = try self.row(of: &source, on: &database)
    source.feeds[name] = ListedFeed(
      try feedTable.insert(name, of: row, on: &database), feed)
  }

  private mutating func keep(
    _ name: FeedName, of source: Source, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = source.feeds[name] else { return }
    try feedTable.update(
      feed.row, total: feed.total, refreshed: feed.refreshed, on: &database)
  }

  /// Reads which items there are, their hashes and where they are listed.
  mutating func index(
    _ source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard source.index == nil else { return }
    let row = try self.row(of: &source, on: &database)
    let opened = source.contents
    let found = try items.hashes(
      of: row, sealedBy: source.seal, on: &database, isVerified: { opened[$0] != nil })
    var index = ItemIndex(ItemTable.rows(of: row))
    index.reserve(found.count)
    for (item, name, hash) in found { index.note(item, name, hash) }
    source.index = index
    for name in source.feeds.keys { try indexMembers(of: name, in: &source, on: &database) }
  }

  private mutating func indexMembers(
    of name: FeedName, in source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = source.feeds[name] else { return }
    let found = try memberships.all(in: feed.row, on: &database)
    source.feeds[name]?.members.reserveCapacity(found.count)
    for case (let row, let membership?) in found { source.feeds[name]?.note(row, membership) }
    let members = source.feeds[name]?.members ?? [:]
    guard members.count < found.count else { return }
    // Rows that are damaged, or of an item that stands twice, cannot be found by what they hold.
    try memberships.clear(feed.row, on: &database)
    for (row, membership) in members {
      try memberships.insert(row, membership, in: feed.row, on: &database)
    }
  }
}

extension Change {
  fileprivate var listedFeed: Feed? {
    switch self {
    case .items(let feed, _, _), .removed(let feed, _), .unchanged(let feed), .total(let feed, _):
      feed
    default: nil
    }
  }
}

import EngagementModel

/// Everything that one provider has on one surface for one user. An item is the same item in all
/// feeds of its source.
struct ItemSourceKey: Hashable, Sendable {
  let partition: Partition.ID
  let provider: ProviderID
  let surface: Surface
}

/// The tables of items, of the feeds that list them and of what users did to them.
///
/// Each table keeps its statements private, so this bundle has no state of its own to protect.
struct ItemTables: ~Copyable {
  var feeds = FeedTable()
  var memberships = MembershipTable()
  var items = ItemTable()
  var overlays = OverlayTable()
  var quarantine = QuarantineTable()
  var copies = ContentCopyTable()
  var marks = ContentMarkTable()
  var unlisted = UnlistedContentTable()

  /// Deletes every source of a user with its feeds, items and overlays, and the user's contents.
  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try copies.erase(partition, on: &database)
    try marks.erase(partition, on: &database)
    try unlisted.erase(partition, on: &database)
    for (source, _, _) in try feeds.sources(of: partition, on: &database) {
      for feed in try feeds.feeds(of: source, on: &database) {
        try memberships.clear(feed.row, on: &database)
      }
      try items.clear(source, on: &database)
      try overlays.clear(source, on: &database)
      try feeds.deleteSource(source, on: &database)
    }
  }

  /// How many of a user's items have bytes that differ from their checksum.
  mutating func damagedItems(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Int {
    var damaged = 0
    for (row, provider, surface) in try feeds.sources(of: partition.id, on: &database) {
      let checksum = ItemChecksum(partition, provider, surface)
      let verdicts = try items.all(of: row, on: &database) { item in
        checksum.verified(item.body, of: item.name, by: item.seal) != nil
      }
      damaged += verdicts.count { !$0 }
    }
    return damaged
  }
}

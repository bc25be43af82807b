import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// Ends, after all changes of a commit, what users did and vendors now say or no longer list.
  mutating func finish(
    in partition: Partition, at now: Date, to report: inout CommitReport,
    on database: inout Database
  ) throws(EngagementError) {
    for key in touched where key.partition == partition.id {
      var source = try take(key.provider, key.surface, of: partition, on: &database)
      try settle(&source, at: now, on: &database)
      put(source)
    }
    touched = touched.filter { $0.partition != partition.id }
    if !report.quarantined.isEmpty { try quarantine.prune(partition.id, on: &database) }
  }

  private mutating func settle(
    _ source: inout Source, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try index(&source, on: &database)
    let mayBeUnread = source.feeds.values.contains(where: \.hasBadItems)
    for (name, overlay) in source.overlays {
      var settled = overlay
      if let row = source.index?.row(of: name) {
        guard let content = try content(of: row, in: &source, on: &database) else { continue }
        settled.settle(with: content, at: now)
      } else if !mayBeUnread {
        settled = Overlay()
      }
      if settled != overlay { try set(settled, of: name, in: &source, on: &database) }
    }
  }

  // MARK: What users do

  /// Notes what the user does to an item. Returns the feeds in which something visible may have
  /// changed.
  mutating func record(
    _ mark: Intent.Mark, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    try edit(mark.item, in: partition, on: &database) { $0.record(mark.action, at: now) }
  }

  /// Takes back what an action had made visible.
  mutating func undo(
    _ action: ItemAction, on item: ItemReference, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    try edit(item, in: partition, on: &database) { $0.undo(action) }
  }

  /// Lays what a user did to the items over them for another user as well, where that one did
  /// nothing to them.
  mutating func adoptOverlays(
    of items: [ItemReference], from: Partition, into: Partition, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    var keys: Set<FeedKey> = []
    for item in items {
      let source = try take(item.id.provider, item.surface, of: from, on: &database)
      let left = source.overlays[ItemName(item.id.value)]
      put(source)
      guard let left else { continue }
      keys.formUnion(
        try edit(item, in: into, on: &database) { if $0.isEmpty { $0 = left } })
    }
    return keys
  }

  private mutating func edit(
    _ item: ItemReference, in partition: Partition, on database: inout Database,
    _ body: (inout Overlay) -> Void
  ) throws(EngagementError) -> Set<FeedKey> {
    let name = ItemName(item.id.value)
    var source = try take(item.id.provider, item.surface, of: partition, on: &database)
    let before = source.overlays[name] ?? Overlay()
    var after = before
    body(&after)
    var keys: Set<FeedKey> = []
    if after.kept != before {
      let looks = source.looks
      try set(after.kept, of: name, in: &source, on: &database)
      try show(name, looked: looks, before, in: &source, on: &database)
      keys = source.keys(listing: name)
    }
    put(source)
    return keys
  }

  /// Shows one card anew in the lists of which nothing else has changed since they were looked at.
  private mutating func show(
    _ name: ItemName, looked looks: Int, _ before: Overlay, in source: inout Source,
    on database: inout Database
  ) throws(EngagementError) {
    guard let row = try row(of: name, in: source, on: &database),
      case .card(let card)? = try content(of: row, in: &source, on: &database)
    else { return }
    let overlay = source.overlays[name] ?? Overlay()
    for (feed, listed) in source.feeds {
      guard var glance = listed.glance, glance.looks == looks,
        glance.show(card, under: overlay, before: before)
      else { continue }
      glance.looks = source.looks
      source.feeds[feed]?.glance = glance
    }
  }

  private mutating func set(
    _ overlay: Overlay, of name: ItemName, in source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    let row = try row(of: &source, on: &database)
    try overlays.set(overlay, of: name, in: row, on: &database)
    source.overlays[name] = overlay.isEmpty ? nil : overlay
    source.looks += 1
  }
}

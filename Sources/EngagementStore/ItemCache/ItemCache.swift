import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The items of all vendors, the feeds that list them and what users did to them.
///
/// The cache keeps in memory what it has read of each source. The owner of the connection owns it
/// and calls what changes rows inside a transaction. If the transaction fails, or if another
/// process wrote, the owner calls `forgetMemory()`.
struct ItemCache: ~Copyable {
  private let adapters: [ProviderID: any EngagementAdapter]
  private var sources: [ItemSourceKey: ItemSource] = [:]
  /// The sources whose lists changed since the last `finish`.
  private var changedSources: Set<ItemSourceKey> = []
  /// The sources whose vendors said what they list since the last `finish`.
  private var answeredSources: Set<ItemSourceKey> = []
  private var contents: ContentCache
  /// What is wrong with content keys and in no report yet.
  private var keyFaults: [EngagementError] = []
  private var tables = ItemTables()

  init(
    adapters: [ProviderID: any EngagementAdapter],
    contentKeys: [ProviderID: ContentKeySource] = [:]
  ) {
    self.adapters = adapters
    contents = ContentCache(contentKeys)
  }

  // MARK: Memory

  /// Drops everything in memory; the next call reads it from the file.
  mutating func forgetMemory() {
    sources = [:]
    changedSources = []
    answeredSources = []
    contents.forgetMemory()
  }

  /// Drops one user from memory.
  mutating func release(_ partition: Partition.ID) {
    sources = sources.filter { $0.key.partition != partition }
    contents.release(partition)
  }

  /// The users with items in memory.
  var partitionsInMemory: Set<Partition.ID> { Set(sources.keys.map(\.partition)) }

  /// Lends a source to the body. If the body throws, the source is dropped from memory, so nothing
  /// stale stays behind.
  mutating func withSource<Value>(
    _ provider: ProviderID, _ surface: Surface, of partition: Partition,
    on database: inout Database,
    _ body: (inout ItemSource, inout ItemTables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    let key = ItemSourceKey(partition: partition.id, provider: provider, surface: surface)
    var source: ItemSource
    if let known = sources.removeValue(forKey: key) {
      source = known
    } else {
      let keySource = contents.keySources[provider]
      let mapper = adapters[provider].map {
        ItemMapper($0, for: provider, on: surface, keyedBy: keySource)
      }
      source = ItemSource(
        key, of: partition, mapper: mapper,
        try contents.marks(of: partition.id, on: surface, from: &tables, on: &database))
      try source.read(from: &tables, on: &database)
    }
    let value = try body(&source, &tables, &database)
    sources[key] = source
    return value
  }
}

extension ItemCache {
  /// An item as its vendor sent it; nil if it is not there, or cannot be read.
  mutating func payload(
    of id: ArraySlice<UInt8>, in items: AddedItems, of partition: Partition.ID,
    on database: inout Database
  ) throws(EngagementError) -> (json: JSON, size: Int)? {
    guard
      let body = try tables.items.body(
        of: id, from: items.provider, on: items.surface, of: partition, on: &database),
      let json = try? JSON(parsing: body)
    else { return nil }
    return (json, body.count)
  }
}

// MARK: Changes of vendors

extension ItemCache {
  /// Applies what a vendor says of one of its feeds. `refreshedAt` is nil if it answered about one
  /// item.
  mutating func apply(
    _ change: FeedChange, from provider: ProviderID, in partition: Partition, refreshedAt: Date?,
    at now: Date, to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    guard adapters[provider] != nil else {
      throw EngagementError(.notFound, "There is no provider of that name", provider: provider)
    }
    let surface = change.feed.surface
    let source = ItemSourceKey(partition: partition.id, provider: provider, surface: surface)
    switch change.effect {
    case .items, .removed: changedSources.insert(source)
    case .unchanged, .total: break
    }
    if refreshedAt != nil, surface != .campaigns { answeredSources.insert(source) }
    try withSource(provider, surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.apply(
        change, refreshedAt: refreshedAt, at: now, to: &report, in: &tables, on: &database)
    }
  }

  /// Ends the overlays that the vendor now agrees with or no longer lists, unless an older state may
  /// follow. Called once, after all changes of a commit.
  ///
  /// - Parameter keepsUnlisted: Whether what was done to contents stays that no vendor lists any more.
  mutating func finish(
    in partition: Partition, settling settlesOverlays: Bool = true,
    keepingUnlisted keepsUnlisted: Bool = false, at now: Date, to report: inout CommitReport,
    on database: inout Database
  ) throws(EngagementError) {
    var news: [ContentNews] = []
    for key in changedSources where key.partition == partition.id {
      let changed = try withSource(key.provider, key.surface, of: partition, on: &database) {
        (source, tables, database) throws(EngagementError) in
        if settlesOverlays { try source.settleOverlays(at: now, in: &tables, on: &database) }
        return try source.takeContentNews(at: now, in: &tables, on: &database)
      }
      if let changed { news.append(changed) }
    }
    let changed = Self.take(&changedSources, of: partition.id)
    let answered = Self.take(&answeredSources, of: partition.id)
    try show(news, in: partition, to: &report, on: &database)
    report.ignored += keyFaults
    keyFaults = []
    if settlesOverlays, !keepsUnlisted {
      try contents.endUnlisted(
        in: partition.id, changedBy: changed, answeredBy: answered, at: now, in: &tables,
        on: &database)
    }
    if !report.quarantined.isEmpty {
      try tables.quarantine.prune(partition.id, on: &database)
    }
  }

  /// The providers of a user's sources, which are taken out.
  private static func take(
    _ sources: inout Set<ItemSourceKey>, of partition: Partition.ID
  ) -> Set<ProviderID> {
    let taken = sources.filter { $0.partition == partition }
    sources.subtract(taken)
    return Set(taken.map(\.provider))
  }

  /// Deletes everything of a user.
  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try tables.erase(partition, on: &database)
    release(partition)
    changedSources = changedSources.filter { $0.partition != partition }
    answeredSources = answeredSources.filter { $0.partition != partition }
  }
}

// MARK: Actions of users

extension ItemCache {
  /// Records what the user does to an item. Returns the feeds that may look different now.
  mutating func record(
    _ mark: Intent.Mark, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    try edit(mark.item, in: partition, on: &database) { $0.record(mark.action, at: now) }
  }

  /// Undoes a refused action. Returns the feeds that may look different now.
  mutating func undo(
    _ action: ItemAction, on item: ItemReference, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    try edit(item, in: partition, ofFormerKeys: true, on: &database) { $0.undo(action) }
  }

  /// Copies a user's overlays of the items to another user, except where that user has one.
  mutating func adoptOverlays(
    of items: [ItemReference], from: Partition, into: Partition, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    var keys: Set<FeedKey> = []
    for item in items {
      guard let overlay = try overlay(of: item, in: from, on: &database) else { continue }
      keys.formUnion(
        try edit(item, in: into, on: &database) {
          if $0.isUntouched { $0 = $0.joined(with: overlay) }
        })
    }
    return keys
  }

  private mutating func overlay(
    of item: ItemReference, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Overlay? {
    try withSource(item.id.provider, item.surface, of: partition, on: &database) {
      (source, _, _) throws(EngagementError) in source.overlay(of: item.id)
    }
  }

  /// Lets the body change what the user did to an item, and what counts for the copies of its content.
  private mutating func edit(
    _ item: ItemReference, in partition: Partition, ofFormerKeys: Bool = false,
    on database: inout Database, _ body: (inout Overlay) -> Void
  ) throws(EngagementError) -> Set<FeedKey> {
    let edited = try withSource(item.id.provider, item.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.editOverlay(of: ItemKey(item.id.value), in: &tables, on: &database, body)
    }
    guard let copy = edited.copy, !contents.keySources.isEmpty else { return edited.feeds }
    var keys = Set([edited.key].compactMap(\.self))
    if ofFormerKeys {
      keys.formUnion(
        try contents.keys(of: copy, in: partition.id, from: &tables, on: &database))
    }
    var changes: [ContentChange] = []
    for key in keys {
      let change = try contents.edit(
        copy, of: key, in: partition.id, in: &tables, on: &database, body)
      if let change { changes.append(change) }
    }
    return edited.feeds.union(try show(changes, in: partition, on: &database))
  }
}

// MARK: Contents

extension ItemCache {
  /// Takes over what vendors' lists changed of contents.
  private mutating func show(
    _ news: [ContentNews], in partition: Partition, to report: inout CommitReport,
    on database: inout Database
  ) throws(EngagementError) {
    for news in news {
      let changes = try contents.apply(news, in: partition.id, in: &tables, on: &database)
      report.feeds.formUnion(try show(changes, in: partition, on: &database))
      report.duplicated += news.duplicated
      keyFaults += news.faults
    }
  }

  /// Shows copies of contents under what counts for them now. Returns the feeds that may look different.
  private mutating func show(
    _ changes: [ContentChange], in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    guard !changes.isEmpty else { return [] }
    let keys = Set(
      changes.lazy.flatMap(\.copies).map {
        ItemSourceKey(partition: partition.id, provider: $0.provider, surface: $0.surface)
      })
    var feeds: Set<FeedKey> = []
    for key in keys {
      feeds.formUnion(
        try withSource(key.provider, key.surface, of: partition, on: &database) {
          (source, tables, database) throws(EngagementError) in
          try source.follow(changes, from: &tables, on: &database)
        })
    }
    return feeds
  }

  /// Whether the keys of the user's items are known to be of the configured sources.
  func hasContentKeys(of partition: Partition.ID) -> Bool { contents.isUpToDate(partition) }

  mutating func noteContentKeys(of partition: Partition.ID) { contents.noteUpToDate(partition) }

  /// Makes the content keys of the providers' items by the sources that are configured now.
  mutating func remakeContentKeys(
    of providers: Set<ProviderID>, in partition: Partition, at now: Date,
    to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    for (_, provider, surface) in try tables.feeds.sources(of: partition.id, on: &database)
    where providers.contains(provider) && surface != .campaigns {
      let news = try withSource(provider, surface, of: partition, on: &database) {
        (source, tables, database) throws(EngagementError) in
        try source.takeContentNews(remaking: true, at: now, in: &tables, on: &database)
      }
      if let news { try show([news], in: partition, to: &report, on: &database) }
    }
    // Their views are of the former keys.
    sources = sources.filter { $0.key.partition != partition.id }
  }
}

// MARK: Reading

extension ItemCache {
  /// Increases with each change of a provider's items on a surface; nil if they are not in memory.
  func contentVersion(
    of provider: ProviderID, on surface: Surface, in partition: Partition
  ) -> Int? {
    source(of: provider, on: surface, in: partition)?.contentVersion
  }

  /// How many items the feed lists, once it has changed.
  func listedCount(in feed: Feed, of provider: ProviderID, for partition: Partition) -> Int {
    source(of: provider, on: feed.surface, in: partition)?.listed(feed)?.count ?? 0
  }

  private func source(
    of provider: ProviderID, on surface: Surface, in partition: Partition
  ) -> ItemSource? {
    sources[ItemSourceKey(partition: partition.id, provider: provider, surface: surface)]
  }

  /// The contents that the surface hides: the user dismissed or snoozed a copy of them.
  mutating func hiddenContents(
    on surface: Surface, of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> Set<ContentKey> {
    let marks = try contents.marks(of: partition.id, on: surface, from: &tables, on: &database)
    return marks?.withLock { $0.hidden(on: surface, at: now) } ?? []
  }

  /// The contents of which the provider lists a copy on the surface, also those that it hides.
  mutating func contents(
    listedBy provider: ProviderID, on surface: Surface, of partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Set<ContentKey> {
    try tables.copies.keys(
      listedBy: provider, on: surface, in: partition.id, on: &database)
  }

  /// The user's items that could not be read.
  mutating func quarantined(
    in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [CommitReport.Quarantined] {
    try tables.quarantine.all(in: partition.id, on: &database)
  }

  /// The user's feeds, except those whose filters this release does not know.
  mutating func feeds(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [FeedKey] {
    try tables.feeds.names(of: partition.id, on: &database).compactMap { found in
      found.name.feed(on: found.surface).map { FeedKey(found.provider, $0) }
    }
  }

  /// How many of a user's items have bytes that differ from their checksum.
  mutating func damagedItems(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Int {
    try tables.damagedItems(of: partition, on: &database)
  }

  /// Everything that vendors sent for a user and what the user did to it, visible or not: feeds,
  /// items once each, overlays and quarantined items, and the contents of all of them.
  mutating func held(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    for (row, provider, surface) in try tables.feeds.sources(of: partition.id, on: &database) {
      objects += try withSource(provider, surface, of: partition, on: &database) {
        (source, tables, database) throws(EngagementError) in
        try source.held(in: row, from: &tables, on: &database)
      }
    }
    objects += try tables.copies.held(of: partition.id, on: &database)
    objects += try tables.marks.held(of: partition.id, on: &database)
    objects += try tables.unlisted.held(of: partition.id, on: &database)
    return objects
  }
}

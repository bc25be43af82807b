package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

extension Store {
  /// The cards of a feed as the user sees them now, and the control cards among them.
  package func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Card> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.cards(in: key, of: partition, at: now, on: &database)
    }
  }

  /// The messages of a provider as the user sees them now, each once.
  package func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.messages(of: provider, in: partition, at: now, on: &database)
    }
  }

  /// Feeds of cards and the messages of providers as the user sees them now, all of one moment.
  package func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date
  ) throws(EngagementError) -> LoadedFeeds {
    let number = nextLoad()
    let loaded = try read { (tables, database) throws(EngagementError) -> LoadedFeeds? in
      guard try tables.hasContentKeys(of: partition, on: &database) else { return nil }
      return try tables.load(keys, of: partition, at: now, as: number, on: &database)
    }
    if let loaded { return loaded }
    return try write { (tables, database) throws(EngagementError) in
      _ = try tables.updateContentKeys(of: partition, at: now, on: &database)
      return try tables.load(keys, of: partition, at: now, as: number, on: &database)
    }
  }

  /// The campaigns of a feed.
  package func campaigns(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Campaign> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.campaigns(in: key, of: partition, at: now, on: &database)
    }
  }

  /// The feeds that the cache has.
  package func feeds(of partition: Partition) throws(EngagementError) -> [FeedKey] {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.feeds(of: partition, on: &database)
    }
  }

  /// The items of the user that could not be read.
  package func quarantined(
    in partition: Partition
  ) throws(EngagementError) -> [CommitReport.Quarantined] {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.quarantined(in: partition, on: &database)
    }
  }

  /// The reference to an item; nil if the cache does not have it.
  package func reference(
    to id: ItemID, on surface: Surface, in partition: Partition
  ) throws(EngagementError) -> ItemReference? {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.reference(to: id, on: surface, in: partition, on: &database)
    }
  }

  /// The other items that are copies of an item's content; empty if the cache does not have the item.
  package func copies(
    of id: ItemID, on surface: Surface, in partition: Partition
  ) throws(EngagementError) -> [(id: ItemID, surface: Surface)] {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.copies(of: id, on: surface, in: partition, on: &database)
    }
  }

  /// The contents that the user does not see on the surface because of what was done to a copy.
  package func hiddenContents(
    on surface: Surface, of partition: Partition, at now: Date
  ) throws(EngagementError) -> Set<ContentKey> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.hiddenContents(on: surface, of: partition, at: now, on: &database)
    }
  }

  /// The contents of which a provider lists a copy on a surface, also those that the surface hides.
  package func contents(
    listedBy provider: ProviderID, on surface: Surface, of partition: Partition
  ) throws(EngagementError) -> Set<ContentKey> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.contents(
        listedBy: provider, on: surface, of: partition, on: &database)
    }
  }

  /// A provider's stored values, settings and person.
  package func memory(
    of provider: ProviderID, in partition: Partition
  ) throws(EngagementError) -> ProviderMemory {
    try read { (tables, database) throws(EngagementError) in
      try tables.values.memory(of: provider, in: partition, on: &database)
    }
  }

  /// What an operation needs to know of the cache.
  package struct OperationState: Sendable {
    package let memory: ProviderMemory
    package let consent: Consent
    /// Whether all rows that the operation delivers are still in the outbox.
    package let hasAllRows: Bool
    /// How often campaigns were presented.
    package let counters: CampaignCounters
    package let campaignReport: CampaignReport
  }

  /// What an operation needs to know of the cache, read in one transaction.
  package func operationState(
    of provider: ProviderID, in partition: Partition, delivering rows: [OutboxRow.ID] = [],
    at now: Date
  ) throws(EngagementError) -> OperationState {
    try read { (tables, database) throws(EngagementError) in
      OperationState(
        memory: try tables.values.memory(of: provider, in: partition, on: &database),
        consent: try tables.partitions.require(partition, on: &database).consent,
        hasAllRows: try tables.outbox.hasAll(rows, on: &database),
        counters: try tables.campaignCounters(
          of: provider, in: partition, at: now, on: &database),
        campaignReport: try tables.campaignReport(of: provider, in: partition, on: &database))
    }
  }
}

extension Tables {
  mutating func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date, as number: Int64,
    on database: inout Database
  ) throws(EngagementError) -> LoadedFeeds {
    var loaded = LoadedFeeds(number: number)
    for key in keys {
      if key.feed.surface == .cards {
        loaded.cards[key] = try itemCache.cards(in: key, of: partition, at: now, on: &database)
      } else if key.feed.surface == .inbox, loaded.messages[key.provider] == nil {
        loaded.messages[key.provider] = try itemCache.messages(
          of: key.provider, in: partition, at: now, on: &database)
      }
    }
    return loaded
  }
}

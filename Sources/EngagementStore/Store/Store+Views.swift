import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

extension Store {
  /// The cards of a feed as the user sees them now, and the control cards among them.
  package func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Card> {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.cards(in: key, of: partition, at: now, on: &database)
    }
  }

  /// The messages of a provider as the user sees them now, each once.
  package func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.messages(of: provider, in: partition, at: now, on: &database)
    }
  }

  /// The campaigns of a feed.
  package func campaigns(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Campaign> {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.campaigns(in: key, of: partition, at: now, on: &database)
    }
  }

  /// The feeds that are there.
  package func feeds(of partition: Partition) throws(EngagementError) -> [FeedKey] {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.feeds(of: partition, on: &database)
    }
  }

  /// How an item is spoken of; nil where it is not there.
  package func reference(
    to id: ItemID, on surface: Surface, in partition: Partition
  ) throws(EngagementError) -> ItemReference? {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.reference(to: id, on: surface, in: partition, on: &database)
    }
  }

  /// What is remembered for a provider, besides items and rows.
  package func memory(
    of provider: ProviderID, in partition: Partition
  ) throws(EngagementError) -> ProviderMemory {
    try read { (tables, database) throws(EngagementError) in
      try tables.values.memory(of: provider, in: partition, on: &database)
    }
  }

  /// The same, with what the user allows.
  package func standing(
    of provider: ProviderID, in partition: Partition
  ) throws(EngagementError) -> (ProviderMemory, Consent) {
    try read { (tables, database) throws(EngagementError) in
      (
        try tables.values.memory(of: provider, in: partition, on: &database),
        try tables.partitions.require(partition, on: &database).consent
      )
    }
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension ItemCache {
  /// The cards of a feed as the user sees them, with the control cards among them.
  mutating func cards(
    in key: FeedKey, of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<Card> {
    try withSource(key.provider, key.feed.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.cards(in: key.feed, at: now, from: &tables, on: &database)
    }
  }

  /// The first cards that the user sees of a feed, in the order of its index. Reads only as many
  /// items as needed.
  mutating func firstCards(
    _ count: Int, in key: FeedKey, of partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> [Card] {
    try withSource(key.provider, key.feed.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.firstCards(count, in: key.feed, at: now, from: &tables, on: &database)
    }
  }

  /// The messages of all inbox feeds of a provider, each once, in the vendor's order.
  mutating func messages(
    of provider: ProviderID, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    try withSource(provider, .inbox, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.messages(at: now, from: &tables, on: &database)
    }
  }

  /// The campaigns of a feed, in the order in which they were sent.
  mutating func campaigns(
    in key: FeedKey, of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<Campaign> {
    try withSource(key.provider, key.feed.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.campaigns(in: key.feed, at: now, from: &tables, on: &database)
    }
  }

  /// Every campaign of a feed, also those that have ended.
  mutating func listedCampaigns(
    in key: FeedKey, of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [Campaign] {
    try withSource(key.provider, key.feed.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.listedCampaigns(in: key.feed, from: &tables, on: &database)
    }
  }

  /// The reference that an action on the item needs; nil if the cache does not have the item.
  mutating func reference(
    to id: ItemID, on surface: Surface, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> ItemReference? {
    try withSource(id.provider, surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.reference(to: ItemKey(id.value), from: &tables, on: &database)
    }
  }

  /// Whether the user has viewed the card or read the message, as the feeds show it.
  mutating func isSeen(
    _ item: ItemReference, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try withSource(item.id.provider, item.surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.isSeen(ItemKey(item.id.value), from: &tables, on: &database)
    }
  }

  /// The other items of the user that are copies of the item's content.
  mutating func copies(
    of id: ItemID, on surface: Surface, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [(id: ItemID, surface: Surface)] {
    try withSource(id.provider, surface, of: partition, on: &database) {
      (source, tables, database) throws(EngagementError) in
      try source.copies(of: ItemKey(id.value), from: &tables, on: &database)
    }
  }
}

import EngagementModel
import EngagementPlatform
import EngagementStore

/// Where the feed publisher loads feeds from: the store.
protocol FeedSource: Sendable {
  /// The feeds that the partition has.
  func feeds(of partition: Partition) async throws(EngagementError) -> [FeedKey]

  /// These feeds with their control cards, read in one transaction.
  func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date
  ) async throws(EngagementError) -> LoadedFeeds

  /// The stored values of a provider or of the kit itself.
  func memory(
    of provider: ProviderID, in partition: Partition
  ) async throws(EngagementError) -> ProviderMemory
}

extension Store: FeedSource {}

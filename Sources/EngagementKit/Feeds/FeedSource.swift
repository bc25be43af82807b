import EngagementModel
import EngagementPlatform
import EngagementStore

/// Where the feed publisher loads feeds from: the store.
protocol FeedSource: Sendable {
  /// The feeds that are there.
  func feeds(of partition: Partition) async throws(EngagementError) -> [FeedKey]

  /// These feeds, control cards too, all of one moment.
  func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date
  ) async throws(EngagementError) -> LoadedFeeds

  /// The values that are kept for a provider or for the kit itself.
  func memory(
    of provider: ProviderID, in partition: Partition
  ) async throws(EngagementError) -> ProviderMemory
}

extension Store: FeedSource {}

import EngagementModel
import EngagementStore
import FoundationEssentials

/// How the cache is asked for what it has to show.
protocol FeedReader: Sendable {
  /// The feeds that are there.
  func feeds(of partition: Partition) async throws(EngagementError) -> [FeedKey]

  /// The cards of a feed, control cards too.
  func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) async throws(EngagementError) -> FeedView<Card>

  /// The messages of a provider.
  func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) async throws(EngagementError) -> FeedView<InboxMessage>

  /// The routes that were set at run time.
  func routes(in partition: Partition) async throws(EngagementError) -> [RoutedSurface: Route]
}

/// The house's own cache.
struct CacheReader: FeedReader {
  let house: House

  func feeds(of partition: Partition) async throws(EngagementError) -> [FeedKey] {
    try await house.store.feeds(of: partition)
  }

  func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) async throws(EngagementError) -> FeedView<Card> {
    try await house.store.cards(in: key, of: partition, at: now)
  }

  func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) async throws(EngagementError) -> FeedView<InboxMessage> {
    try await house.store.messages(of: provider, in: partition, at: now)
  }

  func routes(in partition: Partition) async throws(EngagementError) -> [RoutedSurface: Route] {
    KeptRoutes(house).routes(
      in: try await house.store.memory(of: HouseMemory.owner, in: partition))
  }
}

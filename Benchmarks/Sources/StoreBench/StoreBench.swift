public import EngagementAdapterAPI
public import EngagementModel
import EngagementStore
public import FoundationEssentials

/// What benchmarks measure below the public interface: reading a cache as another process does,
/// and the ledger by itself.
public enum StoreBench {
  /// The first cards of a provider's one feed, from a file that this process has not opened yet.
  public static func firstCards(
    _ count: Int, of user: User, at path: String, from provider: ProviderID,
    by adapter: any EngagementAdapter, at now: Date
  ) throws(EngagementError) -> [Card] {
    var reader = try StoreReader(path: path, adapters: [provider: adapter])
    guard let partition = try reader.partition(of: user, in: "production") else { return [] }
    return try reader.firstCards(count, in: FeedKey(provider, .cards), of: partition, at: now)
  }

  /// The ledger of a new cache.
  public struct Ledger: Sendable {
    private let store: Store
    private let partition: Partition

    /// Opens a cache; makes it where there is none.
    public init(at path: String, now: Date) async throws(EngagementError) {
      store = try await Store.open(Store.Options(path: path, adapters: [:]), at: now)
      partition = try await store.partition(of: .anonymous, at: now)
    }

    /// Appends the events in one transaction.
    public func append(_ events: [EngagementEvent]) async throws(EngagementError) {
      _ = try await store.record(events, in: partition)
    }

    /// Moves the log into the file and lets go of it.
    public func close() async throws(EngagementError) { try await store.suspend() }
  }
}

import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Fetches the target from its vendors, from all providers of the route at the same time.
  ///
  /// The result is in the cache and in every stream before this returns. Calls for the same target
  /// share one request. A feed with an item that could not be read is fetched whole. After `close()` the outcome is `failed` for every provider, with
  /// `conflict`.
  public func refresh(
    _ target: RefreshTarget, _ extent: RefreshExtent = .changes
  ) async -> RefreshOutcome {
    do throws(EngagementError) {
      try lifecycle.checkOpen()
    } catch {
      return RefreshOutcome(
        Dictionary(dependencies.providers.map { ($0.id, .failed(error)) }) { first, _ in first })
    }
    let userSession = dependencies.currentUser.userSession
    let outcome = await refresher.refresh(target, extent)
    shadows.note(target, outcome, by: userSession)
    migrations.noteRefresh()
    return outcome
  }

  /// The items of the current user that could not be read, until an answer has them readable or
  /// without them.
  public func quarantinedItems() async throws(EngagementError) -> [QuarantinedItem] {
    try lifecycle.checkOpen()
    let partition = dependencies.currentUser.userSession.partition
    return try await dependencies.store.quarantined(in: partition).map { QuarantinedItem($0) }
  }

  /// An item that a vendor sent and that could not be read.
  public struct QuarantinedItem: Hashable, Sendable {
    public var provider: ProviderID
    public var surface: Surface
    /// Its place in the vendor's list.
    public var index: Int
    public var reason: String

    init(_ found: CommitReport.Quarantined) {
      provider = found.feed.provider
      surface = found.feed.feed.surface
      index = found.index
      reason = found.reason
    }
  }
}

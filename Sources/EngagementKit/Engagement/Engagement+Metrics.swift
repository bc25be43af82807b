import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// How many cards the current user has, as the provider's vendor counts them: as of the last refresh
  /// of `metrics`, and without those that were displayed since. Nil if the vendor has not said.
  ///
  /// - Parameter container: One of the application's containers; nil for all of them.
  public func cardMetrics(
    at provider: ProviderID, in container: ContainerID? = nil
  ) async throws(EngagementError) -> CardMetrics? {
    try lifecycle.checkOpen()
    _ = try dependencies.provider(provider)
    let userSession = dependencies.currentUser.userSession
    let memory = try await dependencies.store.memory(of: provider, in: userSession.partition)
    guard let metrics = memory.metrics, dependencies.currentUser.isCurrent(userSession) else {
      return nil
    }
    let (active, unseen): (Int, [String])
    if let container {
      let name = feedPublisher.name(of: container, at: provider)
      guard let count = metrics.byContainer[name] else { return CardMetrics() }
      (active, unseen) = (count.active, count.unseen)
    } else {
      (active, unseen) = (metrics.active, metrics.unseen)
    }
    let displayed = sessions.displayedItems
    let ids = Set(unseen.map { ItemID(provider, $0) })
    return CardMetrics(active: active, unseen: ids.subtracting(displayed).count)
  }

  /// The counts of `cardMetrics(at:in:)`: the current ones first, then those after each change. Nil is
  /// given as long as the vendor has not said. The sequence ends when the engagement is closed.
  public func cardMetricsUpdates(
    at provider: ProviderID, in container: ContainerID? = nil
  ) -> AsyncStream<CardMetrics?> {
    let signal = dependencies.commitPublisher.signal
    let last = Locked<CardMetrics??>(nil)
    return AsyncStream {
      while !Task.isCancelled {
        let seen = signal.count
        let metrics: CardMetrics?
        do throws(EngagementError) {
          metrics = try await self.cardMetrics(at: provider, in: container)
        } catch {
          return nil
        }
        let isNew = last.withLock { last in
          defer { last = .some(metrics) }
          return last != .some(metrics)
        }
        if isNew { return metrics }
        await signal.wait(after: seen)
      }
      return nil
    }
  }

  /// How many cards a user has, as a vendor counts them. Cards that are snoozed or not yet due are not
  /// counted.
  public struct CardMetrics: Hashable, Sendable {
    public var active: Int
    /// How many of them were never displayed.
    public var unseen: Int

    public init(active: Int = 0, unseen: Int = 0) {
      self.active = active
      self.unseen = unseen
    }
  }
}

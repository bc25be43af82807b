import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Follows what other processes do with the same cache.
///
/// SQLite tells no process of another's writes, so this asks it twice a second. That costs one
/// query, which reads no page.
final class OtherProcesses: Sendable {
  private let dependencies: KitDependencies
  private let userTransitions: UserTransitions
  private let routeChanges: RouteChanges
  private let exposures: Exposures
  private let outboxSender: OutboxSender
  private let presentations: Presentations
  private let liveChannels: LiveChannels
  private static let interval = Duration.milliseconds(500)

  init(
    _ dependencies: KitDependencies, _ userTransitions: UserTransitions,
    _ routeChanges: RouteChanges, _ exposures: Exposures, _ outboxSender: OutboxSender,
    _ presentations: Presentations, _ liveChannels: LiveChannels
  ) {
    self.dependencies = dependencies
    self.userTransitions = userTransitions
    self.routeChanges = routeChanges
    self.exposures = exposures
    self.outboxSender = outboxSender
    self.presentations = presentations
    self.liveChannels = liveChannels
  }

  /// Follows until the task is cancelled.
  func follow() async {
    var seen: Int?
    var wasRecovered = dependencies.store.recovery != nil
    var counts = (try? await dependencies.store.endings(of: [:], since: [:]).counts) ?? [:]
    while !Task.isCancelled {
      if dependencies.store.recovery != nil { await recover(&wasRecovered) }
      let writes = try? await dependencies.store.writesByOthers()
      // At first too: something may have changed since this process opened the cache.
      if let writes, writes != seen {
        await userTransitions.followPresentUser()
        await routeChanges.follow()
        await exposures.followOthers()
        outboxSender.reread()
        presentations.follow()
        liveChannels.follow()
        counts = await tellReceipts(since: counts)
        dependencies.commitPublisher.signal.fire()
      }
      seen = writes ?? seen
      await dependencies.clock.sleep(until: dependencies.clock.uptime + Self.interval)
    }
  }

  /// Tells vendors again what went with a damaged cache.
  private func recover(_ wasRecovered: inout Bool) async {
    await userTransitions.introduceAgain()
    guard !wasRecovered else { return }
    wasRecovered = true
    try? await userTransitions.queue.alone { () async throws(EngagementError) in
      await routeChanges.handOverTokens()
    }
  }

  /// Tells receipts which rows others have ended; returns the delivery counts now.
  private func tellReceipts(
    since former: [ProviderID: DeliveryCounts]
  ) async -> [ProviderID: DeliveryCounts] {
    let pending = dependencies.receiptOutcomes.pending
    guard let found = try? await dependencies.store.endings(of: pending, since: former) else {
      return former
    }
    dependencies.receiptOutcomes.note(found.ended)
    return found.counts
  }
}

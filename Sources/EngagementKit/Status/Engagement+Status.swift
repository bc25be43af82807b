import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

extension Engagement {
  // MARK: Status

  /// How each surface stands for the current user, and each container with a route of its own: the
  /// worst of its providers, and what is shown meanwhile. Read from the cache; no vendor is asked.
  ///
  /// What failed in an earlier run or in another process counts until that request is answered.
  public func status() async throws(EngagementError) -> [SurfaceStatus] {
    while true {
      try lifecycle.checkOpen()
      let userSession = dependencies.currentUser.userSession
      let facts = try await statusFacts(of: userSession)
      if dependencies.currentUser.isCurrent(userSession) { return facts.surfaces }
    }
  }

  /// The values of `status()`: the present one first, then one after each change. The sequence ends when
  /// the engagement is closed.
  public func statusUpdates() -> AsyncStream<[SurfaceStatus]> {
    let last = Locked<[SurfaceStatus]?>(nil)
    return AsyncStream {
      while !Task.isCancelled {
        let seen = self.changeCounts
        guard (try? self.lifecycle.checkOpen()) != nil else { return nil }
        // It fails while a user is erased by another process.
        let status = (try? await self.status()) ?? last.withLock(\.self) ?? []
        let isNew = last.withLock { last in
          defer { last = status }
          return last != status
        }
        if isNew { return status }
        await self.waitForChange(since: seen, untilPausesEnd: status)
      }
      return nil
    }
  }

  private func statusFacts(
    of userSession: UserSession
  ) async throws(EngagementError) -> StatusFacts {
    let (store, partition, now) = (
      dependencies.store, userSession.partition, dependencies.clock.now
    )
    let kept = try await store.memory(of: KitState.owner, in: partition)
    var facts = StatusFacts(
      providers: dependencies.providers, user: userSession.user,
      consent: try await store.consent(of: partition), plans: feedPublisher.plans,
      feedState: feedPublisher.feedState,
      failures: RefreshFailures.Failure.all(in: kept),
      pushStates: try await store.pushStates(of: partition))
    let counts = try await store.pendingCounts(in: partition)
    for provider in dependencies.providers {
      let id = provider.id
      let memory = try await store.memory(of: id, in: partition)
      facts.throttles[id] = memory.throttles.filter { $0.binds(at: now) }
      if counts[id] ?? 0 > 0 {
        let rows = try await store.pending(for: id, in: partition, limit: Self.lookedAt)
        facts.pending[id] = Set(rows.map(\.work.verb))
      }
      if provider.adapter.capabilities.ability(.campaigns).travel != .unsupported {
        facts.campaignDates[id] = try await store.campaigns(
          in: FeedKey(id, .campaigns), of: partition, at: now
        ).refreshedAt
      }
    }
    return facts
  }

  /// How many of a provider's rows are looked at.
  private static let lookedAt = 100

  // MARK: Changes

  private typealias ChangeCounts = (commits: Int, feeds: Int)

  /// How often the cache was written, and how often the feeds and routes changed.
  private var changeCounts: ChangeCounts {
    (dependencies.commitPublisher.signal.count, feedPublisher.signal.count)
  }

  private func waitForChange(
    since seen: ChangeCounts, untilPausesEnd status: [SurfaceStatus]
  ) async {
    let (commits, feeds) = (dependencies.commitPublisher.signal, feedPublisher.signal)
    let (clock, end) = (dependencies.clock, status.nextPauseEnd)
    let nap = end.map { max(0.01, min(60, $0.timeIntervalSince(clock.now))) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await commits.wait(after: seen.commits) }
      group.addTask { await feeds.wait(after: seen.feeds) }
      if let nap { group.addTask { await clock.sleep(until: clock.uptime + .seconds(nap)) } }
      await group.next()
      group.cancelAll()
    }
  }
}

extension [SurfaceStatus] {
  /// When the first pause ends; nil without one.
  fileprivate var nextPauseEnd: Date? {
    flatMap(\.providers).compactMap { status in
      if case .throttled(let end) = status.state { end } else { nil }
    }.min()
  }
}

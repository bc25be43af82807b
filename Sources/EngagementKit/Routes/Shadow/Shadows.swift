import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Reads the candidates of routes beside what is shown, and compares both.
///
/// It begins when a refresh of what is shown has ended. A candidate's answer is compared and dropped: it
/// never comes into the tables of items.
final class Shadows: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]
  private let sessions: Sessions
  private let outboxSender: OutboxSender
  private let containers: ContainerMap
  private let plans: @Sendable () -> RoutePlans
  private let state = Locked(State())
  /// Fires when there may be something to compare.
  private let signal = AsyncSignal()
  /// Fires when readings have ended.
  private let ends = AsyncSignal()

  private struct State {
    /// The refreshes that have ended since the last comparison.
    var refreshes: [RefreshTarget: Refresh] = [:]
    /// How many tasks compare.
    var busy = 0
  }

  private struct Refresh {
    var heard: Set<ProviderID>
    var userSession: UserSession
  }

  /// How long a candidate may take to answer.
  static let patience = Duration.seconds(30)

  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    _ sessions: Sessions, _ outboxSender: OutboxSender, containers: ContainerMap,
    plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.sessions = sessions
    self.outboxSender = outboxSender
    self.containers = containers
    self.plans = plans
  }

  // MARK: When

  /// Notes that what is shown was refreshed by the user. Returns at once.
  func note(_ target: RefreshTarget, _ outcome: RefreshOutcome, by userSession: UserSession) {
    guard plans().hasShadows else { return }
    let heard = Set(outcome.providers.filter(\.value.isHeard).keys)
    guard !heard.isEmpty else { return }
    state.withLock { $0.refreshes[target] = Refresh(heard: heard, userSession: userSession) }
    signal.fire()
  }

  /// Compares after each refresh, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let seen = signal.count
      await compareNoted()
      await signal.wait(after: seen)
    }
  }

  /// Compares what was refreshed, and returns when no task compares any more.
  func compare() async {
    await compareNoted()
    while !Task.isCancelled {
      let seen = ends.count
      if state.withLock({ $0.busy == 0 }) { return }
      await ends.wait(after: seen)
    }
  }

  private func compareNoted() async {
    let refreshes = state.withLock { state in
      defer { state.refreshes = [:] }
      if !state.refreshes.isEmpty { state.busy += 1 }
      return state.refreshes
    }
    guard !refreshes.isEmpty else { return }
    defer {
      state.withLock { $0.busy -= 1 }
      ends.fire()
    }
    let userSession = dependencies.currentUser.userSession
    let current = refreshes.filter { $0.value.userSession == userSession }
    guard let targets = await targets(of: userSession) else { return }
    var readings: [ProviderID: [ShadowReading]] = [:]
    for (target, refresh) in current {
      for reading in targets.readings(after: target, answeredBy: refresh.heard) {
        readings[reading.candidate, default: []].append(reading)
      }
    }
    await withDiscardingTaskGroup { group in
      // A candidate gets one request after the other, and does not wait for another candidate.
      for own in readings.values {
        group.addTask {
          for reading in own.sorted(by: { $0.name < $1.name }) where !Task.isCancelled {
            await self.compareOrLog(reading, targets, for: userSession)
          }
        }
      }
    }
  }

  private func targets(of userSession: UserSession) async -> ShadowTargets? {
    guard let known = try? await dependencies.store.feeds(of: userSession.partition) else {
      return nil
    }
    return ShadowTargets(
      plans: plans(), containers: containers, capabilities: runtimes.mapValues(\.capabilities),
      known: known, contentKeys: dependencies.contentKeys)
  }

  // MARK: One list of a candidate

  private func compareOrLog(
    _ reading: ShadowReading, _ targets: ShadowTargets, for userSession: UserSession
  ) async {
    do throws(EngagementError) {
      guard try await claim(reading, in: userSession.partition) else { return }
      switch await read(reading, for: userSession) {
      case .list(let list): try await compare(list, reading, targets, for: userSession)
      case .failed(let code):
        guard ![.cancelled, .signedOut, .consentDenied].contains(code) else { return }
        for spot in reading.spots {
          try await update(spot, of: reading.candidate, targets, for: userSession) {
            [now = dependencies.clock.now] record in record.addFailure(code, at: now)
          }
        }
      }
    } catch {
      dependencies.log(.info, "A comparison was not kept: \(error.code)", reading.candidate)
    }
  }

  /// Notes that the list is asked for now; false if it is not its time, for this process or another.
  private func claim(
    _ reading: ShadowReading, in partition: Partition
  ) async throws(EngagementError) -> Bool {
    let now = dependencies.clock.uptime
    let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
    let found = reading.claim(after: memory.json(.installation, reading.name), at: now)
    guard found.kept != nil else { return found.isDue }
    return try await dependencies.accept(in: partition, updating: KitState.owner) {
      (_, memory, _) in
      let claim = reading.claim(after: memory.json(.installation, reading.name), at: now)
      var update = Store.ValueUpdate(claim.isDue)
      if let kept = claim.kept {
        update.changes = [KitState.change(.installation, reading.name, kept)]
      }
      return update
    }
  }

  private enum Outcome: Sendable {
    case list(ShadowList)
    case failed(EngagementError.Code)
  }

  private func read(_ reading: ShadowReading, for userSession: UserSession) async -> Outcome {
    guard let runtime = runtimes[reading.candidate] else { return .failed(.notFound) }
    let read = await withTimeLimit(Self.patience, on: dependencies.clock) {
      await self.list(reading.feed, at: runtime, for: userSession)
    }
    if read.isLate, !Task.isCancelled { return .failed(.deadlineExceeded) }
    return read.value
  }

  private func list(
    _ feed: Feed, at runtime: ProviderRuntime, for userSession: UserSession
  ) async -> Outcome {
    var attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
    if let code = await prepare(runtime, attempt, for: userSession) { return .failed(code) }
    attempt.wantsEverything = true
    let operation = RefreshPlan.Request(feed).operation
    let host = ShadowHost(runtime.host, for: operation)
    let execution = await OperationRunner(beside: runtime.runner, in: host)
      .execute(operation, attempt)
    if let code = execution.outcome.failureCode { return .failed(code) }
    guard dependencies.currentUser.isCurrent(userSession) else { return .failed(.signedOut) }
    let keys = dependencies.contentKeys[runtime.id]
    if let list = ShadowList(host.changes, of: feed, from: runtime.provider, keys) {
      return .list(list)
    }
    guard ShadowList.isUnchanged(feed, by: host.changes),
      let loaded = try? await dependencies.store.load(
        [FeedKey(runtime.id, feed)], of: userSession.partition, at: dependencies.clock.now),
      let list = ShadowList(loaded)
    else { return .failed(.unsupported) }
    return .list(list)
  }

  /// Does what a vendor needs before it lists anything: reads its settings, and begins a session at a
  /// vendor that is told of events. Returns why that failed, if it did.
  private func prepare(
    _ runtime: ProviderRuntime, _ attempt: Attempt, for userSession: UserSession
  ) async -> EngagementError.Code? {
    if runtime.needsSettings(in: userSession.generation) {
      let outcome = await runtime.runner.execute(.settings, attempt).outcome
      if let code = outcome.failureCode { return code }
      runtime.noteSettings(in: userSession.generation)
    }
    guard plans().lead(to: runtime.id, for: .events), await sessions.touch([runtime.provider])
    else { return nil }
    await outboxSender.send(
      runtime.id, as: userSession, within: .seconds(10), waitsForOthers: true)
    return nil
  }

  // MARK: Comparing

  private func compare(
    _ list: ShadowList, _ reading: ShadowReading, _ targets: ShadowTargets,
    for userSession: UserSession
  ) async throws(EngagementError) {
    let (now, uptime) = (dependencies.clock.now, dependencies.clock.uptime)
    for spot in reading.spots {
      let shown = try await shown(at: spot, targets, of: userSession, now)
      let hidden = try await dependencies.store.hiddenContents(
        on: spot.surface, of: userSession.partition, at: now)
      let theirs = list.items(of: targets.source(of: spot, at: reading.candidate), at: now)
      let providers = targets.plans.plan(at: spot.place)?.shown ?? []
      try await update(spot, of: reading.candidate, targets, for: userSession) { record in
        record.add(shown: providers, at: now) { memory in
          ShadowComparison(
            shown, with: theirs, hidden: hidden, unreadable: list.unreadable, &memory, at: uptime)
        }
      }
    }
  }

  /// What is on screens now, from the cache.
  private func shown(
    at spot: ShadowSpot, _ targets: ShadowTargets, of userSession: UserSession, _ now: Date
  ) async throws(EngagementError) -> [ShadowItem] {
    let container = spot.container ?? ShadowTargets.anyContainer
    var feedState = FeedState(
      userSession, plans: targets.plans, containers: containers,
      capabilities: targets.capabilities, keyed: Set(dependencies.contentKeys.keys))
    let keys = try await dependencies.store.feeds(of: userSession.partition).filter { key in
      spot.surface == .inbox
        ? feedState.showsInInbox(key) : feedState.shows(key, in: container, under: [])
    }
    let loaded = try await dependencies.store.load(
      Set(keys), of: userSession.partition, at: now)
    _ = feedState.take(loaded, at: now)
    return spot.surface == .inbox
      ? feedState.inbox(at: now).0.feed.messages.map { ShadowItem($0) }
      : feedState.snapshot(in: container, at: now).0.feed.cards.map { ShadowItem($0) }
  }

  /// Changes what is kept of the comparisons at a spot, in one transaction.
  private func update(
    _ spot: ShadowSpot, of candidate: ProviderID, _ targets: ShadowTargets,
    for userSession: UserSession, _ body: @escaping @Sendable (inout ParityRecord) -> Void
  ) async throws(EngagementError) {
    let blank = ParityReport(
      spot.surface, in: spot.container, of: candidate,
      shown: targets.plans.plan(at: spot.place)?.shown ?? [])
    guard dependencies.currentUser.isCurrent(userSession) else { return }
    try await dependencies.accept(in: userSession.partition, updating: KitState.owner) {
      (_, memory, _) in
      var record = ParityRecord(blank)
      let kept = memory.json(.user, record.name).flatMap(ParityRecord.init(json:))
      if let kept, kept.isAbout(blank) { record = kept }
      body(&record)
      var update = Store.ValueUpdate(())
      update.changes = [KitState.change(.user, record.name, record.json)]
      return update
    }
  }
}

extension RoutePlans {
  /// Whether any place has a candidate that is compared.
  fileprivate var hasShadows: Bool {
    routes.places.contains { plan(at: $0.place)?.shadows.isEmpty == false }
  }
}

extension OperationRunner.Outcome {
  /// The code of what went wrong; nil if it is done.
  fileprivate var failureCode: EngagementError.Code? {
    switch self {
    case .done, .partly: nil
    case .wait: .rateLimited
    case .retry(let error), .refused(let error), .cancelled(let error, _): error.code
    }
  }
}

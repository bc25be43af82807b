import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Refreshes from all vendors at the same time. Equal requests to a vendor are shared.
final class Refresher: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]
  private let sessions: Sessions
  private let outboxSender: OutboxSender
  private let containers: ContainerMap
  private let failOvers: FailOvers
  private let failures: RefreshFailures
  private let plans: @Sendable () -> RoutePlans
  private let singleFlight = SingleFlight<Fetch, RefreshRound.SharedOutcome>()

  private struct Fetch: Hashable {
    var provider: ProviderID
    var userSession: UserSession
    var operation: Operation
    var extent: RefreshExtent
  }

  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    _ sessions: Sessions, _ outboxSender: OutboxSender, _ failOvers: FailOvers,
    containers: ContainerMap, plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.sessions = sessions
    self.outboxSender = outboxSender
    self.failOvers = failOvers
    failures = RefreshFailures(dependencies)
    self.containers = containers
    self.plans = plans
  }

  /// How many tasks share the current user's request that is under way.
  func waiting(for provider: ProviderID, _ operation: Operation) -> Int {
    singleFlight.waiting(
      for: Fetch(
        provider: provider, userSession: dependencies.currentUser.userSession,
        operation: operation, extent: .changes))
  }

  func refresh(_ target: RefreshTarget, _ extent: RefreshExtent) async -> RefreshOutcome {
    let (userSession, plans) = (dependencies.currentUser.userSession, plans())
    do throws(EngagementError) {
      if case .message(let id) = target { _ = try dependencies.provider(id.provider) }
    } catch {
      return RefreshOutcome(error.provider.map { [$0: .failed(error)] } ?? [:])
    }
    if let fault = target.fault {
      let asked = dependencies.providers.map(\.id).filter { target.concerns($0, plans) }
      return RefreshOutcome(Dictionary(asked.map { ($0, .failed(fault)) }) { first, _ in first })
    }
    var refresh = FailOverRefresh(
      failOvers, dependencies.providers, target, plans, since: dependencies.clock.uptime)
    var (outcome, asks) = (RefreshOutcome(), await refresh.first())
    while !asks.isEmpty {
      let answers = await answers(to: asks, target, extent, userSession)
      for (ask, answer) in answers { outcome.note(answer.outcome, of: ask.provider.id) }
      asks = await refresh.next(after: answers)
    }
    for (provider, error) in await refresh.end(self.plans()) {
      outcome.note(await unasked(provider, error, target, userSession), of: provider)
    }
    return outcome
  }

  /// Asks the first choice of the place's route, and returns to it if it answers; throws why not.
  func returnToFirstChoice(at place: RoutePlace) async throws(EngagementError) {
    let (userSession, start) = (dependencies.currentUser.userSession, dependencies.clock.uptime)
    guard let first = try await failOvers.beginReturn(at: place, since: start),
      let target = place.target
    else { return }
    let ask = RefreshAsk(
      provider: try dependencies.provider(first),
      plans: plans().asking(first, at: [place], alone: true), places: [place], isProbe: true)
    let answer = await refresh(target, .changes, ask, for: userSession)
    if !answer.report.isHeard { await failOvers.end([place: [first]]) }
    try await failOvers.endReturn(answer.report, answer.outcome.error, at: place, since: start)
  }

  /// The answers of the providers, in the order in which they are named.
  private func answers(
    to asks: [RefreshAsk], _ target: RefreshTarget, _ extent: RefreshExtent,
    _ userSession: UserSession
  ) async -> [(RefreshAsk, RefreshAnswer)] {
    await withTaskGroup(of: (Int, RefreshAnswer).self) { group in
      for (index, ask) in asks.enumerated() {
        group.addTask { (index, await self.refresh(target, extent, ask, for: userSession)) }
      }
      let answers: [Int: RefreshAnswer] = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return asks.enumerated().compactMap { index, ask in answers[index].map { (ask, $0) } }
    }
  }

  /// Asks for what has changed in the feeds, as a live channel does that has no socket. The ledger has
  /// no event of it.
  ///
  /// A provider that its fail-overs have left is not polled: a refresh asks for the next one.
  func poll(_ feeds: [Feed], at runtime: ProviderRuntime, for userSession: UserSession) async {
    let round = RefreshRound()
    var left: Set<RoutedSurface> = []
    for feed in feeds where !Task.isCancelled {
      let request = RefreshPlan.Request(feed)
      guard runtime.supports(request.operation.verb) else { continue }
      let verb = request.operation.verb
      if await !failOvers.haveLeft(runtime, verb, plans()) {
        let outcome = await refresh(request, .changes, at: runtime, for: userSession, in: round) {
          nil
        }
        if outcome.isHeard { continue }
      }
      left.formUnion(await failOvers.left(runtime, verb))
    }
    for surface in left.sorted(by: { $0.rawValue < $1.rawValue }) where !Task.isCancelled {
      if let target = RoutePlace.surface(surface).target { _ = await refresh(target, .changes) }
    }
  }

  // MARK: One provider

  private func refresh(
    _ target: RefreshTarget, _ extent: RefreshExtent, _ ask: RefreshAsk,
    for userSession: UserSession
  ) async -> RefreshAnswer {
    let (start, provider) = (dependencies.clock.uptime, ask.provider)
    do throws(EngagementError) {
      let known = try await known(target, ask, userSession)
      let plan = RefreshPlan(target, at: provider, containers, ask.plans, known: known)
      guard !plan.requests.isEmpty, let runtime = runtimes[provider.id] else {
        try target.checkContainers(of: provider)
        return RefreshAnswer([.unsupported], of: provider.id)
      }
      let round = RefreshRound(target)
      var outcomes: [ProviderOutcome] = []
      var (wanted, places) = (plan.requests, ask.places)
      // One after the other: a vendor gets at most one request for a user at a time.
      for request in plan.requests where wanted.contains(request) {
        let outcome = await refresh(
          request, extent, at: runtime, for: userSession, in: round, isProbe: ask.isProbe
        ) {
          let event =
            plan.requests.count == 1
            ? self.event(of: plan, since: start, failed: nil, for: userSession) : nil
          round.noteEvent(event != nil)
          return event
        }
        outcomes.append(outcome)
        guard !outcome.isHeard, !places.isEmpty, plan.requests.count > 1 else { continue }
        // Nothing more is asked for a place that has left the provider.
        places = await failOvers.closed(for: provider.id, at: places)
        let plans = ask.plans.asking(provider.id, at: places, alone: false)
        wanted = RefreshPlan(target, at: provider, containers, plans, known: known).requests
      }
      let answer = RefreshAnswer(outcomes, of: provider.id)
      // A refresh that shares another's request, or that has several requests, is recorded here.
      if round.isUnrecorded(answer.outcome) {
        await record(answer.outcome, of: plan, since: start, for: userSession)
      }
      return answer
    } catch {
      return RefreshAnswer([.failed(error)], of: provider.id)
    }
  }

  /// The feeds that were refreshed before, of the provider or of one whose place it takes.
  private func known(
    _ target: RefreshTarget, _ ask: RefreshAsk, _ userSession: UserSession
  ) async throws(EngagementError) -> [Feed] {
    guard target.isOfKnownFeeds(at: ask.provider) else { return [] }
    return try await dependencies.store.feeds(of: userSession.partition).filter { key in
      // Without a map a container has one name everywhere.
      key.provider == ask.provider.id
        || containers.places.isEmpty && key.feed.container != nil
          && ask.places.contains { ask.plans.isCandidate(key.provider, at: $0) }
    }.map(\.feed)
  }

  /// The outcome of a provider that a fail-over did not ask.
  private func unasked(
    _ provider: ProviderID, _ error: EngagementError, _ target: RefreshTarget,
    _ userSession: UserSession
  ) async -> ProviderOutcome {
    guard let runtime = runtimes[provider] else { return .failed(error) }
    let ask = RefreshAsk(provider: runtime.provider, plans: plans())
    let known = try? await known(target, ask, userSession)
    let plan = RefreshPlan(target, at: ask.provider, containers, ask.plans, known: known ?? [])
    guard let request = plan.requests.first else { return .failed(error) }
    return await failed(error, request, runtime, userSession)
  }

  private func refresh(
    _ request: RefreshPlan.Request, _ extent: RefreshExtent, at runtime: ProviderRuntime,
    for userSession: UserSession, in round: RefreshRound, isProbe: Bool = false,
    recording event: @escaping OperationRunner.EventMaker
  ) async -> ProviderOutcome {
    let extent = await self.extent(of: request, extent, at: runtime, for: userSession)
    let fetch = Fetch(
      provider: runtime.id, userSession: userSession, operation: request.operation,
      extent: extent)
    while !Task.isCancelled {
      let completion = await singleFlight.run(fetch, for: nil) {
        var wasSent = false
        let outcome = await self.fetch(
          request, extent, at: runtime, for: userSession, isProbe, &wasSent, recording: event)
        guard let outcome else { return nil }
        let finding = Breaker.Finding(outcome, wasSent: wasSent)
        if round.counts(finding, of: request.operation.verb) {
          await self.failOvers.note(finding, request.operation.verb, of: runtime)
        }
        await self.failures.note(outcome, of: runtime.id, request, for: userSession)
        return round.share(outcome)
      }
      if case .completed(let shared) = completion { return round.take(shared) }
    }
    return .failed(
      EngagementError(
        .cancelled, "It was cancelled.", provider: runtime.id,
        operation: request.operation.verb.rawValue))
  }

  /// Everything, if an item of the feed could not be read: no later change would bring it.
  private func extent(
    of request: RefreshPlan.Request, _ extent: RefreshExtent, at runtime: ProviderRuntime,
    for userSession: UserSession
  ) async -> RefreshExtent {
    guard extent == .changes, let feed = request.feed else { return extent }
    let bad = try? await dependencies.store.quarantined(in: userSession.partition)
    let key = FeedKey(runtime.id, feed)
    return bad?.contains { $0.feed == key } == true ? .everything : .changes
  }

  /// Nil when this task was cancelled.
  private func fetch(
    _ request: RefreshPlan.Request, _ extent: RefreshExtent, at runtime: ProviderRuntime,
    for userSession: UserSession, _ isProbe: Bool, _ wasSent: inout Bool,
    recording event: @escaping OperationRunner.EventMaker
  ) async -> ProviderOutcome? {
    let missing =
      request.operation == .settings ? nil : await readSettings(at: runtime, for: userSession)
    // Nothing new is begun that a cancelled task would have to wait for.
    if Task.isCancelled { return nil }
    // A provider that is tried gets no second request.
    if isProbe, let missing { return await outcome(of: missing, request, runtime, userSession) }
    if request.operation != .settings { await beginSession(at: runtime, for: userSession) }
    if Task.isCancelled { return nil }
    var attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      isUserRequested: true, generation: userSession.generation)
    attempt.wantsEverything = extent == .everything
    // A `.done` may still count as a failure if the settings could not be read.
    let execution = await runtime.runner.execute(
      request.operation, attempt, recording: missing == nil ? event : nil)
    wasSent = execution.wasSent
    if Task.isCancelled { return nil }
    guard dependencies.currentUser.isCurrent(userSession) else {
      return .failed(Self.signedOut(runtime, request))
    }
    switch execution.outcome {
    case .done, .partly:
      if execution.hasNews { return .fresh }
      // Without settings an adapter may not know what to ask for, and asks nothing.
      guard !execution.isUnchanged else { return .notModified }
      guard let missing else { return .notModified }
      return await outcome(of: missing, request, runtime, userSession)
    case .wait(let date): return .throttled(until: date)
    case .retry(let error), .refused(let error), .cancelled(let error, _):
      return error.code == .unsupported
        ? .unsupported : await failed(error, request, runtime, userSession)
    }
  }

  private static func signedOut(
    _ runtime: ProviderRuntime, _ request: RefreshPlan.Request
  ) -> EngagementError {
    EngagementError(
      .signedOut, "The user has changed.", provider: runtime.id,
      operation: request.operation.verb.rawValue)
  }

  /// Begins a session if the vendor serves nothing without one, and tells the vendor of its start.
  private func beginSession(at runtime: ProviderRuntime, for userSession: UserSession) async {
    guard runtime.capabilities.needsSession else { return }
    let hasBegun = await sessions.touch([runtime.provider])
    let pending = try? await dependencies.store.pendingCounts(in: userSession.partition)
    guard pending?[runtime.id] ?? 0 > 0 else { return }
    await outboxSender.send(
      runtime.id, as: userSession, within: Self.sessionWait, waitsForOthers: hasBegun)
  }

  /// How long a refresh waits until the vendor has heard of the session, and with it of the user. An
  /// answer that comes before is that of an unknown person.
  private static let sessionWait = Duration.seconds(10)

  /// Why the vendor's settings could not be read.
  private enum MissingSettings {
    case paused(until: Date)
    case failed(EngagementError)
  }

  /// Reads the vendor's settings, once in each generation; why that was not possible, if it was not.
  private func readSettings(
    at runtime: ProviderRuntime, for userSession: UserSession
  ) async -> MissingSettings? {
    guard runtime.needsSettings(in: userSession.generation) else { return nil }
    let attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
    switch await runtime.runner.execute(.settings, attempt).outcome {
    case .done, .partly:
      runtime.noteSettings(in: userSession.generation)
      return nil
    case .wait(let date): return .paused(until: date)
    case .retry(let error), .refused(let error), .cancelled(let error, _): return .failed(error)
    }
  }

  private func outcome(
    of missing: MissingSettings, _ request: RefreshPlan.Request, _ runtime: ProviderRuntime,
    _ userSession: UserSession
  ) async -> ProviderOutcome {
    switch missing {
    case .paused(let date): .throttled(until: date)
    case .failed(let error): await failed(error, request, runtime, userSession)
    }
  }

  /// `.stale` if older content is still shown, otherwise `.failed`.
  private func failed(
    _ error: EngagementError, _ request: RefreshPlan.Request, _ runtime: ProviderRuntime,
    _ userSession: UserSession
  ) async -> ProviderOutcome {
    var error = error
    error.provider = runtime.id
    error.operation = error.operation ?? request.operation.verb.rawValue
    guard let feed = request.feed,
      let date = try? await refreshedAt(FeedKey(runtime.id, feed), of: userSession.partition)
    else {
      // Later refreshes say the same until the pause is over.
      guard error.code == .rateLimited, let wait = error.retryAfter else { return .failed(error) }
      return .throttled(
        until: dependencies.clock.now.addingTimeInterval(Backoff.clamped(wait) / .seconds(1)))
    }
    // If the wall clock was set back, the date can lie in the future.
    let age = max(0, dependencies.clock.now.timeIntervalSince(date))
    return .stale(age: .seconds(age), error)
  }

  private func refreshedAt(
    _ key: FeedKey, of partition: Partition
  ) async throws(EngagementError) -> Date? {
    let (store, now) = (dependencies.store, dependencies.clock.now)
    return switch key.feed.surface {
    case .inbox: try await store.messages(of: key.provider, in: partition, at: now).refreshedAt
    case .campaigns: try await store.campaigns(in: key, of: partition, at: now).refreshedAt
    default: try await store.cards(in: key, of: partition, at: now).refreshedAt
    }
  }

  // MARK: The ledger

  /// The ledger event of a refresh; nil if its user has signed out.
  ///
  /// - Parameter start: When the refresh began, by the steady clock.
  private func event(
    of plan: RefreshPlan, since start: Duration, failed error: EngagementError?,
    for userSession: UserSession
  ) -> EngagementEvent? {
    guard let verb = plan.requests.first?.operation.verb,
      dependencies.currentUser.isCurrent(userSession)
    else { return nil }
    var properties: JSONObject = ["operation": .string(verb.rawValue)]
    properties["code"] = error.map { .string($0.code.rawValue) }
    properties["milliseconds"] = .integer((dependencies.clock.uptime - start).milliseconds)
    // Both kinds are the kit's own: only denied consent forbids them, which the store checks.
    return dependencies.event(
      error == nil ? .providerRequest : .providerFailed, at: plan.provider.id, properties)
  }

  private func record(
    _ outcome: ProviderOutcome, of plan: RefreshPlan, since start: Duration,
    for userSession: UserSession
  ) async {
    guard outcome.isWorthRecording,
      let event = event(of: plan, since: start, failed: outcome.error, for: userSession)
    else { return }
    do throws(EngagementError) {
      try await dependencies.record(event, in: userSession.partition)
    } catch {
      dependencies.log(.warning, "A refresh could not be recorded: \(error.code)", plan.provider.id)
    }
  }
}

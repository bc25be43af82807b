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
  private let plans: @Sendable () -> RoutePlans
  private let singleFlight = SingleFlight<Fetch, ProviderOutcome>()

  private struct Fetch: Hashable {
    var provider: ProviderID
    var user: User
    var generation: Int
    var operation: Operation
    var extent: RefreshExtent

    init(
      _ provider: ProviderID, _ userSession: UserSession, _ operation: Operation,
      _ extent: RefreshExtent
    ) {
      self.provider = provider
      user = userSession.user
      generation = userSession.generation
      self.operation = operation
      self.extent = extent
    }
  }

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

  /// How many tasks share the current user's request that is under way.
  func waiting(for provider: ProviderID, _ operation: Operation) -> Int {
    singleFlight.waiting(
      for: Fetch(provider, dependencies.currentUser.userSession, operation, .changes))
  }

  func refresh(_ target: RefreshTarget, _ extent: RefreshExtent) async -> RefreshOutcome {
    let userSession = dependencies.currentUser.userSession
    let providers: [Provider]
    do throws(EngagementError) {
      providers = try self.providers(of: target)
    } catch {
      return RefreshOutcome(error.provider.map { [$0: .failed(error)] } ?? [:])
    }
    if let fault = target.fault {
      return RefreshOutcome(
        Dictionary(providers.map { ($0.id, .failed(fault)) }) { first, _ in first })
    }
    return await withTaskGroup(of: (ProviderID, ProviderOutcome).self) { group in
      for provider in providers {
        group.addTask {
          (provider.id, await self.refresh(target, extent, at: provider, for: userSession))
        }
      }
      return await group.reduce(into: RefreshOutcome()) { $0.providers[$1.0] = $1.1 }
    }
  }

  /// Asks for what has changed in the feeds, as a live channel does that has no socket. The ledger has
  /// no event of it.
  func poll(_ feeds: [Feed], at runtime: ProviderRuntime, for userSession: UserSession) async {
    for feed in feeds where !Task.isCancelled {
      let request = RefreshPlan.Request(feed)
      guard runtime.supports(request.operation.verb) else { continue }
      _ = await refresh(request, .changes, at: runtime, for: userSession) { nil }
    }
  }

  private func providers(of target: RefreshTarget) throws(EngagementError) -> [Provider] {
    let (all, plans) = (dependencies.providers, plans())
    switch target {
    case .cards(let container?, _):
      let plan = plans.plan(of: container)
      return all.filter { plan.shows($0.id) }
    case .cards(nil, _): return all.filter { plans.showsCards(of: $0.id) }
    case .inbox: return all.filter { plans.inbox.shows($0.id) }
    case .message(let id): return [try dependencies.provider(id.provider)]
    case .campaigns: return all.filter { plans.tell($0.id, of: .templates) }
    case .person, .metrics, .settings: return all
    }
  }

  // MARK: One provider

  private func refresh(
    _ target: RefreshTarget, _ extent: RefreshExtent, at provider: Provider,
    for userSession: UserSession
  ) async -> ProviderOutcome {
    let start = dependencies.clock.uptime
    do throws(EngagementError) {
      let known =
        target.isOfAllContainers
        ? try await dependencies.store.feeds(of: userSession.partition)
          .filter { $0.provider == provider.id }.map(\.feed) : []
      let plan = RefreshPlan(target, at: provider, containers, plans(), known: known)
      guard !plan.requests.isEmpty, let runtime = runtimes[provider.id] else {
        return .unsupported
      }
      let isRecorded = Locked(false)
      var outcomes: [ProviderOutcome] = []
      // One after the other: a vendor gets at most one request for a user at a time.
      for request in plan.requests {
        outcomes.append(
          await refresh(request, extent, at: runtime, for: userSession) {
            let event =
              plan.requests.count == 1
              ? self.event(of: plan, since: start, failed: nil, for: userSession) : nil
            isRecorded.withLock { $0 = event != nil }
            return event
          })
      }
      let outcome = ProviderOutcome.worst(of: outcomes) ?? .unsupported
      // A refresh that shares another's request, or that has several requests, is recorded here.
      if outcome.error != nil || !isRecorded.withLock(\.self) {
        await record(outcome, of: plan, since: start, for: userSession)
      }
      return outcome
    } catch {
      return .failed(error)
    }
  }

  private func refresh(
    _ request: RefreshPlan.Request, _ extent: RefreshExtent, at runtime: ProviderRuntime,
    for userSession: UserSession, recording event: @escaping OperationRunner.EventMaker
  ) async -> ProviderOutcome {
    let extent = await self.extent(of: request, extent, at: runtime, for: userSession)
    let fetch = Fetch(runtime.id, userSession, request.operation, extent)
    while !Task.isCancelled {
      let completion = await singleFlight.run(fetch, for: nil) {
        await self.fetch(request, extent, at: runtime, for: userSession, recording: event)
      }
      if case .completed(let outcome) = completion { return outcome }
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
    for userSession: UserSession, recording event: @escaping OperationRunner.EventMaker
  ) async -> ProviderOutcome? {
    let missing =
      request.operation == .settings ? nil : await readSettings(at: runtime, for: userSession)
    // Nothing new is begun that a cancelled task would have to wait for.
    if Task.isCancelled { return nil }
    if request.operation != .settings { await beginSession(at: runtime, for: userSession) }
    if Task.isCancelled { return nil }
    var attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      isUserRequested: true, generation: userSession.generation)
    attempt.wantsEverything = extent == .everything
    // A `.done` may still count as a failure if the settings could not be read.
    let execution = await runtime.runner.execute(
      request.operation, attempt, recording: missing == nil ? event : nil)
    if Task.isCancelled { return nil }
    guard dependencies.currentUser.isCurrent(userSession) else {
      return .failed(Self.signedOut(runtime, request))
    }
    switch execution.outcome {
    case .done, .partly:
      if execution.hasNews { return .fresh }
      // Without settings an adapter may not know what to ask for, and asks nothing.
      guard !execution.isUnchanged else { return .notModified }
      switch missing {
      case .paused(let date): return .throttled(until: date)
      case .failed(let error): return await failed(error, request, runtime, userSession)
      case nil: return .notModified
      }
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

extension RefreshTarget {
  /// Why a condition makes no sense; nil if all do.
  fileprivate var fault: EngagementError? {
    guard case .cards(_, let filters) = self else { return nil }
    do throws(EngagementError) {
      for filter in filters { try filter.validate() }
      return nil
    } catch {
      return error
    }
  }

  fileprivate var isOfAllContainers: Bool {
    if case .cards(nil, _) = self { true } else { false }
  }
}

extension ProviderOutcome {
  /// Whether a request was sent or should have been.
  fileprivate var isWorthRecording: Bool {
    switch self {
    case .throttled, .unsupported: false
    case .fresh, .notModified: true
    case .stale(_, let error), .failed(let error):
      ![.cancelled, .signedOut, .consentDenied].contains(error.code)
    }
  }
}

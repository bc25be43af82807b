import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Keeps the states of all fail-overs in the cache, where every process of it and the next run find
/// them.
///
/// What a request told and what follows from it is stored with its event in one transaction, and then
/// shown.
final class FailOvers: Sendable {
  typealias States = [RoutePlace: FailOverState]

  /// Whom to ask.
  struct Asks: Hashable, Sendable {
    /// The providers for each place.
    var places: [RoutePlace: [ProviderID]] = [:]
    /// Those that get one request, to see whether they answer again.
    var probes: Set<ProviderID> = []

    fileprivate mutating func add(
      _ providers: [ProviderID], at place: RoutePlace, _ state: FailOverState
    ) {
      places[place] = providers
      probes.formUnion(providers.filter(state.isOpen))
    }
  }

  private let dependencies: KitDependencies
  private let feedPublisher: FeedPublisher
  private let routeStore: RouteStore
  private let turn: AsyncMutex

  /// - Parameter turn: That of the changes of routes.
  init(
    _ dependencies: KitDependencies, _ feedPublisher: FeedPublisher, _ routeStore: RouteStore,
    turn: AsyncMutex
  ) {
    self.dependencies = dependencies
    self.feedPublisher = feedPublisher
    self.routeStore = routeStore
    self.turn = turn
  }

  // MARK: A refresh

  /// Whom a refresh asks first for each of the places.
  func begin(_ places: [RoutePlace]) async -> Asks {
    let begun = await updateOrLog { (states, now) in
      var change = Change(Asks())
      for place in places {
        guard var state = states[place] else { continue }
        change.outcome.add(state.firstAsks(at: now), at: place, state)
        states[place] = state
      }
      return change
    }
    if let begun { return begun }
    let plans = feedPublisher.plans
    return places.reduce(into: Asks()) { $0.places[$1] = plans.plan(at: $1)?.shown }
  }

  /// Takes the reports of a refresh, and returns whom to ask next for each place.
  ///
  /// - Parameter start: When the refresh began.
  func settle(
    _ reports: [RoutePlace: [FailOverState.Report]],
    new: [RoutePlace: [FailOverState.Report]], since start: Duration
  ) async -> Asks {
    await updateOrLog(since: start) { (states, now) in
      var change = Change(Asks())
      for (place, reports) in reports {
        guard var state = states[place] else { continue }
        change.moves += state.move(after: reports, new: new[place] ?? [], at: now)
          .map { (place, $0) }
        if let next = state.nextAsk(after: reports, at: now) {
          change.outcome.add([next], at: place, state)
        }
        states[place] = state
      }
      return change
    } ?? Asks()
  }

  /// Takes how a request to the provider ended, at every place that chooses among providers of which it
  /// is one.
  func note(
    _ finding: Breaker.Finding, of provider: ProviderID, _ surface: RoutedSurface
  ) async {
    let plans = feedPublisher.plans
    guard
      plans.failOverPlaces(on: surface).contains(where: { plans.isCandidate(provider, at: $0) })
    else { return }
    _ = await updateOrLog { (states, now) in
      for place in states.keys where place.surface == surface {
        states[place]?.note(finding, of: provider, at: now)
      }
      return Change<Void>(())
    }
  }

  /// Frees the probes of a refresh that have not ended with it.
  func end(_ asks: [RoutePlace: [ProviderID]]) async {
    _ = await updateOrLog { (states, now) in
      for (place, providers) in asks {
        for provider in providers where states[place]?.phase(of: provider, at: now) == .probing {
          states[place]?.note(.neither, of: provider, at: now)
        }
      }
      return Change<Void>(())
    }
  }

  /// Those of the places at which requests still go to the provider.
  func closed(for provider: ProviderID, at places: Set<RoutePlace>) async -> Set<RoutePlace> {
    guard !places.isEmpty, let states = await self.states else { return places }
    return places.filter { states[$0]?.isOpen(provider) == false }
  }

  /// Whether the surface shows the provider and no request but a probe goes to it.
  func isOpen(_ provider: ProviderID, _ surface: RoutedSurface) async -> Bool {
    let plans = feedPublisher.plans
    let places = plans.failOverPlaces(on: surface)
      .filter { plans.plan(at: $0)?.shows(provider) == true }
    guard !places.isEmpty, let states = await self.states else { return false }
    let isShownElsewhere = plans.routes.places.contains { place, _ in
      place.surface == surface && !places.contains(place)
        && plans.plan(at: place)?.shows(provider) == true
    }
    return !isShownElsewhere && places.allSatisfy { states[$0]?.isOpen(provider) == true }
  }

  /// Why a provider was not asked at a place that shows it.
  func pause(of provider: ProviderID, at place: RoutePlace) async -> EngagementError {
    let phase = await states?[place]?.phase(of: provider, at: dependencies.clock.uptime)
    var rest: Duration?
    if case .coolingDown(let time) = phase { rest = time }
    return .paused(provider, rest)
  }

  // MARK: By hand

  /// The first choice, which is then asked; nil if it is shown. Throws `unavailable` if it is not to be
  /// asked yet, and `invalidArgument` without a fail-over.
  func beginReturn(
    at place: RoutePlace, since start: Duration
  ) async throws(EngagementError) -> ProviderID? {
    let begun = try await update(since: start) { (states, now) in
      var change = Change<FailOverState.HandReturn?>(states[place]?.returnByHand(at: now))
      if case .refused(let move, _)? = change.outcome { change.moves = [(place, move)] }
      return change
    }
    switch begun {
    case nil:
      throw .argumentFault(
        "\(place.field) is not firstReady; only such a route has a first choice.")
    case .isShown?: return nil
    case .ask(let first)?: return first
    case .refused(let move, let rest)?: throw .paused(move.to, rest)
    }
  }

  /// Returns to the provider, or throws why it does not.
  func endReturn(
    _ report: FailOverState.Report, _ error: EngagementError?, at place: RoutePlace,
    since start: Duration
  ) async throws(EngagementError) {
    let move = try await update(since: start) { (states, now) in
      // Another route may have been set meanwhile, which begins with its own first choice.
      let isFirst = states[place]?.candidates.first == report.provider
      let move = isFirst ? states[place]?.moveByHand(after: report) : nil
      var change = Change(move)
      change.moves = move.map { [(place, $0)] } ?? []
      return change
    }
    guard let move else {
      throw EngagementError(
        .conflict,
        "\(place.field) got another route meanwhile, whose first choice is not "
          + "\"\(report.provider)\".")
    }
    guard move.kind == .refused else { return }
    throw error ?? .paused(move.to, nil)
  }

  // MARK: The cache

  /// What a body makes of the states.
  private struct Change<Outcome: Sendable>: Sendable {
    var outcome: Outcome
    var moves: [(RoutePlace, FailOverState.Move)] = []

    init(_ outcome: Outcome) { self.outcome = outcome }
  }

  private var states: States? {
    get async {
      let partition = dependencies.currentUser.userSession.partition
      guard let memory = try? await dependencies.store.memory(of: KitState.owner, in: partition)
      else { return nil }
      return routeStore.failOvers(memory)
    }
  }

  private func updateOrLog<Outcome: Sendable>(
    since start: Duration? = nil,
    _ body: @escaping @Sendable (inout States, _ now: Duration) -> Change<Outcome>
  ) async -> Outcome? {
    do throws(EngagementError) {
      return try await update(since: start, body)
    } catch {
      dependencies.log(.warning, "The state of a fail-over could not be kept: \(error.code)")
      return nil
    }
  }

  /// Runs the body on the states, and stores and shows what it changes. It may run twice, since the
  /// first run finds out whether there is anything to store.
  private func update<Outcome: Sendable>(
    since start: Duration? = nil,
    _ body: @escaping @Sendable (inout States, _ now: Duration) -> Change<Outcome>
  ) async throws(EngagementError) -> Outcome {
    let partition = dependencies.currentUser.userSession.partition
    let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
    let former = routeStore.failOvers(memory)
    var states = former
    let change = body(&states, dependencies.clock.uptime)
    if states == former, change.moves.isEmpty {
      try await follow(routeStore.read(memory).failOver, in: partition)
      return change.outcome
    }
    await turn.lock()
    defer { turn.unlock() }
    let stored: (outcome: Outcome, kept: RouteStore.Kept) = try await dependencies.accept(
      in: partition, updating: KitState.owner
    ) { [dependencies, routeStore] (consent, memory, _) in
      let former = routeStore.failOvers(memory)
      var states = former
      let change = body(&states, dependencies.clock.uptime)
      let changes = routeStore.changes(to: states, from: former)
      var update = Store.ValueUpdate(
        (outcome: change.outcome, kept: routeStore.read(memory.storing(changes))))
      update.changes = changes
      guard ConsentPolicy(consent: consent).allows(.providerFallback) else { return update }
      let time = start.map { dependencies.clock.uptime - $0 } ?? .zero
      update.intents = change.moves.map { place, move in
        Intent(event: dependencies.event(move, at: place, after: time))
      }
      return update
    }
    feedPublisher.follow(stored.kept)
    return stored.outcome
  }

  /// Shows what another process has stored, if this one shows something else.
  private func follow(
    _ found: [RoutePlace: ProviderID], in partition: Partition
  ) async throws(EngagementError) {
    guard found != feedPublisher.plans.circumstances.failOver else { return }
    await turn.lock()
    defer { turn.unlock() }
    await feedPublisher.followOthers(
      routeStore.read(try await dependencies.store.memory(of: KitState.owner, in: partition)))
  }
}

extension KitDependencies {
  /// The event of a change of the shown provider, or of a refusal to return.
  fileprivate func event(
    _ move: FailOverState.Move, at place: RoutePlace, after time: Duration
  ) -> EngagementEvent {
    var properties: JSONObject = ["surface": .string(place.surface.rawValue)]
    if case .container(let container) = place {
      properties["container"] = .string(container.rawValue)
    }
    properties["outcome"] = .string(move.kind.rawValue)
    properties["from"] = .string(move.from.rawValue)
    properties["to"] = .string(move.to.rawValue)
    properties["reason"] = .string(move.reason.rawValue)
    properties["code"] = move.code.map { .string($0.rawValue) }
    properties["milliseconds"] = .integer(time.milliseconds)
    return event(
      .providerFallback, at: move.kind == .fellThrough ? move.from : move.to, properties)
  }
}

extension EngagementError {
  fileprivate static func paused(_ provider: ProviderID, _ rest: Duration?) -> EngagementError {
    let wait = rest.map { Duration.seconds(min($0, .seconds(1_000_000_000)).seconds.rounded(.up)) }
    let time =
      wait.map { "in \(RouteTime.words($0))" } ?? "when the request that tries it has ended"
    return EngagementError(
      .unavailable, "It has failed and is not asked yet; try again \(time).", provider: provider,
      retryAfter: rest)
  }
}

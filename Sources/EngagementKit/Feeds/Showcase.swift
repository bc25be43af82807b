import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import FoundationEssentials

/// What applications see: the present snapshots, and the streams of them.
///
/// Everything that is shown is under one lock together with whom it is shown to, and it goes out
/// to observers inside that lock: so nothing of a former user or route comes after the change.
/// The cache is read outside it and never waited for by who looks.
final class Showcase: CommitReader {
  let clock: any EngagementClock
  let alarm = Alarm()
  private let reader: any FeedReader
  private let occupancy: Occupancy
  private let log: Log
  private let state: Locked<State>

  convenience init(_ house: House, routes: Routes, containers: ContainerMap) {
    let capabilities = house.providers.map { ($0.id, $0.adapter.capabilities) }
    self.init(
      CacheReader(house: house), of: house.occupancy, clock: house.clock, log: house.log,
      routes: routes, containers: containers,
      capabilities: Dictionary(capabilities) { first, _ in first })
  }

  init(
    _ reader: any FeedReader, of occupancy: Occupancy, clock: any EngagementClock, log: Log,
    routes: Routes, containers: ContainerMap, capabilities: [ProviderID: AdapterCapabilities]
  ) {
    self.reader = reader
    self.occupancy = occupancy
    self.clock = clock
    self.log = log
    state = Locked(
      State(
        exhibition: Exhibition(
          occupancy.present, routes: routes, containers: containers,
          capabilities: capabilities)))
  }

  private struct State {
    var exhibition: Exhibition
    var observers = Observers()
    var lastQuestion = 0
    var hasRestoredRoutes = false

    mutating func tellAll(at now: Date) {
      observers.tell(of: observers.places, from: &exhibition, at: now)
    }
  }

  // MARK: Users

  /// Shows nothing of the former occupant any more, at once, and then what the cache has of the
  /// present one.
  ///
  /// Whoever observes goes on with the new user; after a sign-out every observation ends. An
  /// occupant who has left meanwhile is not entered.
  func enter(_ occupant: Occupant) async throws(EngagementError) {
    // Outside the lock: an observer that ends takes itself off the list.
    for observer in empty(for: occupant) { observer.finish() }
    try await restoreRoutes(in: occupant.partition)
    try await show(Set(reader.feeds(of: occupant.partition)), to: occupant)
  }

  /// Shows nothing to somebody new, and returns the observers whose time is over.
  private func empty(for occupant: Occupant) -> [Observer] {
    let now = clock.now
    return state.withLock { state in
      let former = state.exhibition.occupant
      guard occupant.generation >= former.generation else { return [] }
      state.exhibition.enter(occupant)
      let isSignOut = occupant.user.isAnonymous && !former.user.isAnonymous
      if isSignOut { return state.observers.removeAll() }
      state.tellAll(at: now)
      return []
    }
  }

  /// Shows what a commit changed; of another than the present occupant's partition nothing.
  func read(_ report: CommitReport, of partition: Partition) async {
    let occupant = state.withLock { $0.exhibition.occupant }
    guard occupant.partition.id == partition.id else { return }
    await showOrLog(report.feeds, to: occupant)
  }

  // MARK: Reading the cache

  /// Reads feeds anew and shows them; what cannot be read stays as it was.
  func showOrLog(_ keys: Set<FeedKey>, to occupant: Occupant) async {
    do throws(EngagementError) {
      try await show(keys, to: occupant)
    } catch {
      log(.error, "What is shown may be old, the cache could not be read: \(error.code)")
    }
  }

  // Concurrent: whoever acts or signs in may be the thread that draws.
  @concurrent private func show(
    _ keys: Set<FeedKey>, to occupant: Occupant
  ) async throws(EngagementError) {
    var answers: [FeedAnswer] = []
    for key in keys where key.feed.surface == .cards {
      // Numbered before it is asked: an answer may be newer than its number says, never older.
      let number = nextQuestion()
      let view = try await reader.cards(in: key, of: occupant.partition, at: clock.now)
      answers.append(.cards(key, view, number: number))
    }
    for provider in Set(keys.filter { $0.feed.surface == .inbox }.map(\.provider)) {
      let number = nextQuestion()
      let view = try await reader.messages(
        of: provider, in: occupant.partition, at: clock.now)
      answers.append(.messages(provider, view, number: number))
    }
    guard !answers.isEmpty else { return }
    install(answers, for: occupant)
    alarm.ring()
  }

  private func nextQuestion() -> Int {
    state.withLock { state in
      state.lastQuestion += 1
      return state.lastQuestion
    }
  }

  /// Works out what is shown beside those who look, again where that changed meanwhile.
  private func install(_ answers: [FeedAnswer], for occupant: Occupant) {
    while true {
      var draft = state.withLock { $0.exhibition }
      guard draft.occupant.generation == occupant.generation else { return }
      let (version, now) = (draft.version, clock.now)
      let places = draft.take(answers, at: now)
      let next = draft
      let isDone = state.withLock { state in
        guard state.exhibition.version == version else { return false }
        state.exhibition = next
        state.observers.tell(of: places, from: &state.exhibition, at: now)
        return true
      }
      if isDone { return }
    }
  }

  // MARK: Routes

  var routes: Routes { state.withLock { $0.exhibition.routes } }

  /// Shows a surface by another route, with nothing left of the former one.
  func show(_ surface: RoutedSurface, by route: Route) {
    let now = clock.now
    state.withLock { state in
      state.hasRestoredRoutes = true
      state.exhibition.setRoute(route, of: surface)
      state.tellAll(at: now)
    }
  }

  private func restoreRoutes(in partition: Partition) async throws(EngagementError) {
    guard !state.withLock({ $0.hasRestoredRoutes }) else { return }
    let kept = try await reader.routes(in: partition)
    let now = clock.now
    state.withLock { state in
      guard !state.hasRestoredRoutes else { return }
      state.hasRestoredRoutes = true
      for (surface, route) in kept where state.exhibition.routes[surface] != route {
        state.exhibition.setRoute(route, of: surface)
      }
      state.tellAll(at: now)
    }
  }

  // MARK: Looking

  func cards(in container: ContainerID) -> CardFeed {
    let now = clock.now
    return state.withLock { state in
      guard occupancy.isPresent(state.exhibition.occupant) else {
        return state.exhibition.blank().cards
      }
      return state.observers.exhibit(in: container, of: &state.exhibition, at: now).feed
    }
  }

  func inbox() -> InboxFeed {
    let now = clock.now
    return state.withLock { state in
      guard occupancy.isPresent(state.exhibition.occupant) else {
        return state.exhibition.blank().inbox
      }
      return state.observers.inbox(of: &state.exhibition, at: now).feed
    }
  }

  func card(_ id: ItemID) -> Card? { exhibition?.card(id, at: clock.now) }

  func message(_ id: ItemID) -> InboxMessage? { exhibition?.message(id, at: clock.now) }

  /// What is shown, or nil while its user is not the present one.
  var exhibition: Exhibition? {
    let exhibition = state.withLock { $0.exhibition }
    return occupancy.isPresent(exhibition.occupant) ? exhibition : nil
  }

  // MARK: Observing

  /// Adds an observer, who is told of the present state first.
  func add(_ observer: Observer) -> Int {
    let now = clock.now
    return state.withLock { state in
      switch observer {
      case .cards(let container, _, _):
        observer.tell(of: state.observers.exhibit(in: container, of: &state.exhibition, at: now))
      case .inbox:
        observer.tell(of: state.observers.inbox(of: &state.exhibition, at: now))
      }
      return state.observers.add(observer)
    }
  }

  func removeObserver(_ number: Int) {
    state.withLock { $0.observers.remove(number) }
  }

  /// How many observe now.
  var observerCount: Int { state.withLock { $0.observers.count } }

  /// Whether what was shown then is still shown.
  func isCurrent(_ epoch: Int) -> Bool {
    state.withLock { state in
      state.exhibition.epoch == epoch && occupancy.isPresent(state.exhibition.occupant)
    }
  }
}

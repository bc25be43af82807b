import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Gives out snapshots of the feeds and streams of them.
///
/// One lock protects the feed state together with its user session, and observers are told inside
/// that lock. So no value of a former user or route follows the change. The cache is read outside
/// the lock, so reading a snapshot never waits for the disk.
final class FeedPublisher: CommitObserver {
  let clock: any EngagementClock
  /// Fires when the feed state has changed.
  let signal = AsyncSignal()
  /// Fires when an exposure is due.
  let exposureSignal = AsyncSignal()
  let experimentArms: ExperimentArms?
  private let source: any FeedSource
  private let keptRoutes: @Sendable (ProviderMemory) -> RouteStore.Kept
  private let currentUser: CurrentUser
  private let log: Log
  private let state: Locked<PublishedFeeds>
  /// The observers that have ended and may still be on the list.
  private let endedObservers = Locked<Set<Int>>([])
  private let whenShownChanges = Locked<@Sendable () -> Void>({})

  convenience init(
    _ dependencies: KitDependencies, _ routeStore: RouteStore, _ experimentArms: ExperimentArms
  ) {
    let capabilities = dependencies.providers.map { ($0.id, $0.adapter.capabilities) }
    self.init(
      dependencies.store,
      keptRoutes: { routeStore.read($0) }, experimentArms: experimentArms,
      of: dependencies.currentUser,
      clock: dependencies.clock, log: dependencies.log,
      routes: routeStore.configured, containers: routeStore.rules.containers,
      capabilities: Dictionary(capabilities) { first, _ in first },
      keyed: Set(dependencies.contentKeys.keys))
  }

  init(
    _ source: any FeedSource,
    keptRoutes: @escaping @Sendable (ProviderMemory) -> RouteStore.Kept,
    experimentArms: ExperimentArms? = nil,
    of currentUser: CurrentUser, clock: any EngagementClock, log: Log,
    routes: Routes, containers: ContainerMap, capabilities: [ProviderID: AdapterCapabilities],
    keyed: Set<ProviderID> = []
  ) {
    self.source = source
    self.keptRoutes = keptRoutes
    self.experimentArms = experimentArms
    self.currentUser = currentUser
    self.clock = clock
    self.log = log
    state = Locked(
      PublishedFeeds(
        FeedState(
          currentUser.userSession, plans: RoutePlans(routes), containers: containers,
          capabilities: capabilities, keyed: keyed)))
  }

  /// Reads or changes what is published, inside the lock.
  func published<Value: Sendable>(_ body: (inout PublishedFeeds) -> Value) -> Value {
    state.withLock { body(&$0) }
  }

  // MARK: Users

  /// Empties the feeds of the former user at once, and then loads those of the current one.
  ///
  /// Observers continue with the new user. After a sign-out every observation ends. A user session
  /// that has already ended is not entered.
  func enter(_ userSession: UserSession) async throws(EngagementError) {
    // Outside the lock: an observer that ends takes itself off the list.
    for observer in empty(for: userSession) { observer.finish() }
    signal.fire()
    try await restoreRoutes(in: userSession.partition)
    try await settleArms()
    try await show(Set(source.feeds(of: userSession.partition)), to: userSession)
    // An empty arm has no feeds that are shown.
    if published({ $0.noteVisible() }) { exposureSignal.fire() }
  }

  /// Empties all feeds for the new user session, and returns the observers that end.
  private func empty(for userSession: UserSession) -> [FeedObserver] {
    let now = clock.now
    return state.withLock { state in
      let former = state.feedState.userSession
      guard userSession.generation >= former.generation else { return [] }
      state.enter(userSession)
      let isSignOut = userSession.user.isAnonymous && !former.user.isAnonymous
      if isSignOut { return state.observers.removeAll() }
      state.tellAll(at: now)
      return []
    }
  }

  /// Shows the changes of a commit to the current user's partition.
  func observe(_ report: CommitReport, of partition: Partition) async {
    let userSession = state.withLock { $0.feedState.userSession }
    guard userSession.partition.id == partition.id, !report.feeds.isEmpty else { return }
    if let loaded = report.loaded {
      await show(loaded, to: userSession)
    } else {
      await showOrLog(report.feeds, to: userSession)
    }
  }

  // MARK: Loading

  /// Loads feeds and shows them; a feed that cannot be loaded stays unchanged.
  func showOrLog(_ keys: Set<FeedKey>, to userSession: UserSession) async {
    do throws(EngagementError) {
      try await show(keys, to: userSession)
    } catch {
      log(.error, "What is shown may be old, the cache could not be read: \(error.code)")
    }
  }

  private func show(
    _ keys: Set<FeedKey>, to userSession: UserSession
  ) async throws(EngagementError) {
    guard !keys.isEmpty else { return }
    let loaded = try await source.load(keys, of: userSession.partition, at: clock.now)
    await show(loaded, to: userSession)
  }

  // Concurrent: the caller may be on the thread that draws.
  @concurrent private func show(_ loaded: LoadedFeeds, to userSession: UserSession) async {
    install(loaded, for: userSession)
    signal.fire()
  }

  /// Computes the next state outside the lock, and again if the state has changed meanwhile.
  private func install(_ loaded: LoadedFeeds, for userSession: UserSession) {
    while true {
      var draft = state.withLock { $0.feedState }
      guard draft.userSession.generation == userSession.generation else { return }
      let (version, now) = (draft.version, clock.now)
      let places = draft.take(loaded, at: now)
      let next = draft
      let (isDone, isDue) = withObservers { state in
        guard state.feedState.version == version else { return (false, false) }
        state.feedState = next
        state.observers.tell(of: places, from: &state.feedState, at: now)
        return (true, state.noteVisible())
      }
      if isDue { exposureSignal.fire() }
      if isDone { return }
    }
  }

  // MARK: Routes

  var plans: RoutePlans {
    state.withLock { $0.plans(of: currentUser.userSession.partition.id) }
  }

  /// The plans of a user by the routes that the cache keeps now: another process may have changed them.
  func keptPlans(for partition: Partition) async throws(EngagementError) -> RoutePlans {
    let kept = keptRoutes(try await source.memory(of: KitState.owner, in: partition))
    return try await plans(of: kept.routes, for: partition)
  }

  /// Changes the routes, or who fills them. Observers are told once, of snapshots that are made outside
  /// the lock.
  func follow(_ kept: RouteStore.Kept) {
    state.withLock { $0.hasRestoredRoutes = true }
    change(with: kept.arms) { kept.plans(after: $0) }
  }

  /// Changes the plans, with the arms if they are of the user who is shown.
  func change(with arms: UserArms?, _ change: (RoutePlans) -> RoutePlans) {
    while true {
      let (present, places) = withObservers { ($0.feedState, $0.observers.places) }
      var draft = present
      var plans = change(draft.plans)
      let arms = arms?.user == draft.userSession.partition.id ? arms : nil
      if let arms { plans = plans.with(arms.standings) }
      guard draft.plans != plans else { return }
      let (version, now) = (draft.version, clock.now)
      draft.follow(plans)
      for container in places.containers { _ = draft.snapshot(in: container, at: now) }
      if places.inbox { _ = draft.inbox(at: now) }
      let next = draft
      let isDone = withObservers { state in
        guard state.feedState.version == version else { return false }
        state.feedState = next
        if let arms { state.watch.follow(arms.unexposed) }
        state.tellAll(at: now)
        _ = state.noteVisible()
        return true
      }
      if isDone { break }
    }
    signal.fire()
    exposureSignal.fire()
    shownChanged()
  }

  /// Follows what another process has stored. What it has brought for those who are shown now is read
  /// first, so that observers are told once.
  func followOthers(_ kept: RouteStore.Kept) async {
    let (userSession, plans) = state.withLock { ($0.feedState.userSession, $0.feedState.plans) }
    guard plans.isUndecided || kept.plans(after: plans) != plans else { return }
    let keys = try? await source.feeds(of: userSession.partition)
    await showOrLog(Set(keys ?? []), to: userSession)
    await follow(settling: kept)
  }

  /// Follows the routes that the cache keeps, once: later `RouteChanges` does.
  private func restoreRoutes(in partition: Partition) async throws(EngagementError) {
    guard !state.withLock({ $0.hasRestoredRoutes }) else { return }
    let kept = keptRoutes(try await source.memory(of: KitState.owner, in: partition))
    guard !state.withLock({ $0.hasRestoredRoutes }) else { return }
    await follow(settling: kept)
  }

  // MARK: Snapshots

  func cards(in container: ContainerID, options: CardOptions = .standard) -> CardFeed {
    let now = clock.now
    let (feed, isDue) = state.withLock { state in
      guard currentUser.isCurrent(state.feedState.userSession) else {
        return (state.feedState.blank(in: container), false)
      }
      let snapshot = state.observers.snapshot(in: container, of: &state.feedState, at: now)
      return (snapshot.feed(with: options), state.noteReading(container))
    }
    if isDue { exposureSignal.fire() }
    return feed
  }

  func inbox() -> InboxFeed {
    let now = clock.now
    let (feed, isDue) = state.withLock { state in
      guard currentUser.isCurrent(state.feedState.userSession) else {
        return (state.feedState.blankInbox(), false)
      }
      let snapshot = state.observers.inbox(of: &state.feedState, at: now)
      return (snapshot.feed, state.noteReadingInbox())
    }
    if isDue { exposureSignal.fire() }
    return feed
  }

  func card(_ id: ItemID) -> Card? { feedState?.card(id, at: clock.now) }

  func message(_ id: ItemID) -> InboxMessage? { feedState?.message(id, at: clock.now) }

  /// The feed state; nil while its user is not the current one.
  var feedState: FeedState? {
    let feedState = state.withLock { $0.feedState }
    return currentUser.isCurrent(feedState.userSession) ? feedState : nil
  }

  /// The provider's own name of an application's container.
  func name(of container: ContainerID, at provider: ProviderID) -> ContainerID {
    state.withLock { $0.feedState.source(of: container, at: provider).feed.container ?? container }
  }

  // MARK: Observing

  /// Adds an observer, which gets the current snapshot first; nil after `close()`.
  func add(_ observer: FeedObserver) -> Int? {
    let now = clock.now
    defer { shownChanged() }
    let (number, isDue): (Int?, Bool) = withObservers { state in
      switch observer {
      case .cards(let container, _, _, _):
        observer.tell(of: state.observers.snapshot(in: container, of: &state.feedState, at: now))
      case .inbox:
        observer.tell(of: state.observers.inbox(of: &state.feedState, at: now))
      }
      guard !state.isClosed else { return (nil, false) }
      return (state.observers.add(observer), state.noteVisible())
    }
    if isDue { exposureSignal.fire() }
    return number
  }

  /// Ends every observation. The snapshots stay as they are.
  func close() {
    let observers = state.withLock { state in
      state.isClosed = true
      return state.observers.removeAll()
    }
    // Outside the lock: an observer that ends takes itself off the list.
    for observer in observers { observer.finish() }
  }

  /// Gives every observer of cards its current snapshot again.
  func repeatCards() {
    let now = clock.now
    state.withLock { state in
      let places = ChangedFeeds(containers: state.observers.places.containers)
      state.observers.tell(of: places, from: &state.feedState, at: now)
    }
  }

  /// Called while the observing task is cancelled, which the runtime has locked then. So this does not take
  /// the publisher's lock: its holder may be waiting to wake that task with a new value.
  func removeObserver(_ number: Int) {
    endedObservers.withLock { _ = $0.insert(number) }
    shownChanged()
  }

  /// Takes the observers that have ended off the list first.
  private func withObservers<Result>(_ body: (inout PublishedFeeds) -> Result) -> Result {
    let ended = endedObservers.withLock { ended in
      defer { ended = [] }
      return ended
    }
    return state.withLock { state in
      for number in ended { state.observers.remove(number) }
      return body(&state)
    }
  }

  /// The provider's feeds that have an observer; nil if no route leads to the provider.
  func shownFeeds(of provider: ProviderID) -> [Feed]? {
    withObservers { $0.feedState.feeds(of: provider, behind: $0.observers) }
  }

  /// Runs the body whenever `shownFeeds(of:)` may have changed.
  func onShownChange(_ body: @escaping @Sendable () -> Void) {
    whenShownChanges.withLock { $0 = body }
  }

  private func shownChanged() { whenShownChanges.withLock(\.self)() }

  /// How many observers there are.
  var observerCount: Int { withObservers { $0.observers.count } }

  /// Whether neither the user nor a route has changed since that epoch.
  func isCurrent(_ epoch: Int) -> Bool {
    state.withLock { state in
      state.feedState.epoch == epoch && currentUser.isCurrent(state.feedState.userSession)
    }
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Several customer-engagement vendors behind one interface.
///
/// An application opens one engagement and keeps it. Feeds come from the local cache at once.
/// Actions are accepted at once and sent later by `run()`. Nothing is sent or fetched unless the
/// application calls for it.
public final class Engagement: Sendable {
  /// The version of the library.
  public static let version = "0.4.0"

  let dependencies: KitDependencies
  let runtimes: [ProviderID: ProviderRuntime]
  let credentialCache: CredentialCache
  let outboxSender: OutboxSender
  let feedPublisher: FeedPublisher
  let routeChanges: RouteChanges
  let exposures: Exposures
  let pushRegistrar: PushRegistrar
  let sessions: Sessions
  let userTransitions: UserTransitions
  let refresher: Refresher
  let shadows: Shadows
  let migrations: ProviderMigrations
  let pushRouter: PushRouter
  let presentations: Presentations
  let cardVariables: CardVariables
  let liveChannels: LiveChannels
  let journal: JournalImporter
  let imageConverter: Options.ImageConverter?
  private let location: CacheLocation
  var lifecycle: Lifecycle { dependencies.lifecycle }

  /// Makes the parts of an engagement, and opens the send lease and the journal.
  init(
    _ dependencies: KitDependencies, _ configuration: Configuration, at location: CacheLocation
  ) throws(EngagementError) {
    let credentialCache = CredentialCache(dependencies.clock)
    let routeStore = RouteStore(
      configured: configuration.routes,
      rules: RouteRules(providers: dependencies.providers, containers: configuration.containers))
    let experimentArms = ExperimentArms(dependencies)
    let feedPublisher = FeedPublisher(dependencies, routeStore, experimentArms)
    let exposures = Exposures(dependencies, experimentArms, feedPublisher)
    let plans: @Sendable () -> RoutePlans = { feedPublisher.plans }
    let sessions = Sessions(dependencies, plans: plans)
    let runtimes = Dictionary(
      dependencies.providers.map { provider in
        let host = ProviderHost(
          provider, with: dependencies, credentialCache, sessions, exposures, plans: plans)
        return (provider.id, ProviderRuntime(host))
      }, uniquingKeysWith: { first, _ in first })
    let outboxSender = OutboxSender(
      dependencies, runtimes, lease: try Lease(.sending, ofCacheAt: location.path)
    ) { (partition) async throws(EngagementError) in
      try await feedPublisher.keptPlans(for: partition)
    }
    pushRegistrar = PushRegistrar(dependencies, runtimes)
    let turn = AsyncMutex()
    routeChanges = RouteChanges(
      dependencies, feedPublisher, routeStore, pushRegistrar, turn: turn)
    let failOvers = FailOvers(dependencies, feedPublisher, routeStore, turn: turn)
    let pushRouter = PushRouter(dependencies, runtimes, sessions: sessions, plans: plans)
    let journal = JournalImporter(
      try ExtensionJournal(ofCacheAt: location.path), in: dependencies, pushRouter, sessions,
      plans: plans)
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.credentialCache = credentialCache
    self.outboxSender = outboxSender
    self.feedPublisher = feedPublisher
    self.exposures = exposures
    self.sessions = sessions
    cardVariables = CardVariables(dependencies) { card, values, generation in
      guard let fact = feedPublisher.fact(of: values, in: card, by: dependencies.providers) else {
        return
      }
      sessions.report(fact, of: generation)
    }
    self.pushRouter = pushRouter
    let options = configuration.options
    imageConverter = options.imageConverter
    let presentations = Presentations(
      dependencies, sessions, configuration.templates, options.presentations,
      files: try KeptFiles(dependencies, options, at: location),
      lease: try Lease(.presenting, ofCacheAt: location.path), plans: plans)
    self.presentations = presentations
    self.journal = journal
    self.location = location
    refresher = Refresher(
      dependencies, runtimes, sessions, outboxSender, failOvers,
      containers: configuration.containers, plans: plans)
    shadows = Shadows(
      dependencies, runtimes, sessions, outboxSender, containers: configuration.containers,
      plans: plans)
    let liveChannels = LiveChannels(dependencies, runtimes, refresher, feedPublisher)
    self.liveChannels = liveChannels
    userTransitions = UserTransitions(
      dependencies, runtimes, credentialCache: credentialCache, outboxSender: outboxSender,
      feedPublisher: feedPublisher, routeChanges: routeChanges, exposures: exposures,
      sessions: sessions, journal: journal, presentations: presentations,
      liveChannels: liveChannels)
    migrations = ProviderMigrations(
      dependencies, routeStore, routeChanges, userTransitions, feedPublisher)
    // Feeds before receipts: an action that is refused is undone before its receipt says so.
    let observers: [any CommitObserver] = [
      dependencies.tokensToUnregister, feedPublisher, dependencies.receiptOutcomes, outboxSender,
      sessions, presentations,
    ]
    for observer in observers { dependencies.commitPublisher.add(observer) }
    // A vendor that leaves the route of pushes lets go of the token now.
    outboxSender.onRegistration { [weak routeChanges] in await routeChanges?.handOverTokens() }
    // Weak: the sender leads back to the cache of credentials.
    credentialCache.onArrival { [weak outboxSender] in outboxSender?.wake() }
    presentations.beforePresenting { [weak exposures] in await exposures?.notePresenting() }
    feedPublisher.onShownChange { [weak liveChannels, weak presentations] in
      liveChannels?.follow()
      presentations?.follow()
    }
  }

  /// The folder of a temporary cache, which `close()` removes; nil for any other.
  var folder: String? { location.folder }

  // MARK: Running

  /// Sends accepted actions, receives what vendors send as it happens, and updates what depends on the
  /// time, such as expiry and sessions, until the task is cancelled or `close()` is called. All work has stopped when it returns. What other
  /// processes do with the cache, such as accepting an action or changing the user, is followed within a
  /// second.
  ///
  /// Throws `busy` while it runs already, `conflict` once it is closed.
  public func run() async throws(EngagementError) {
    let (dependencies, outboxSender, feedPublisher, exposures) = (
      dependencies, outboxSender, feedPublisher, exposures
    )
    let (sessions, presentations, liveChannels) = (sessions, presentations, liveChannels)
    let (shadows, migrations) = (shadows, migrations)
    let others = OtherProcesses(
      dependencies, userTransitions, routeChanges, exposures, outboxSender, presentations,
      liveChannels)
    try await lifecycle.run {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await outboxSender.run() }
        group.addTask { await feedPublisher.keepTime() }
        group.addTask { await exposures.run() }
        group.addTask { await sessions.keepTime() }
        group.addTask { await dependencies.keepTidy() }
        group.addTask { await presentations.run() }
        group.addTask { await liveChannels.run() }
        group.addTask { await shadows.run() }
        group.addTask { await migrations.run() }
        group.addTask { await others.follow() }
      }
    }
  }

  /// Stops all work and closes the cache, so that the system may freeze the process. Other
  /// processes can still read the cache and append to the journal. A call made meanwhile opens the
  /// cache again.
  public func suspend() async throws(EngagementError) {
    try lifecycle.checkOpen()
    await exposures.record()
    await lifecycle.suspend()
    try await dependencies.store.suspend()
  }

  /// Continues after `suspend()`, and imports the entries that extensions appended meanwhile.
  public func resume() async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await dependencies.store.resume()
    await journal.importOrLog()
    lifecycle.resume()
  }

  /// Stops `run()`, ends all streams and releases the cache; a temporary cache is removed. Safe to
  /// call more than once, and before `run()`.
  ///
  /// Every later call throws `conflict`. Snapshots keep their last value.
  ///
  /// - Parameter limit: How long vendors may take to answer what `run()` is sending. What is cut off may
  ///   have arrived, and is sent again by the next process.
  public func close(within limit: Duration = .zero) async throws(EngagementError) {
    if limit > .zero { await outboxSender.stop(within: limit) }
    guard await lifecycle.close() else { return }
    defer { location.remove() }
    await exposures.record()
    // The application's source of credentials may hold a reference to this object.
    credentialCache.removeAll()
    feedPublisher.close()
    dependencies.receiptOutcomes.close()
    dependencies.commitPublisher.signal.fire()
    try await dependencies.store.suspend()
  }
}

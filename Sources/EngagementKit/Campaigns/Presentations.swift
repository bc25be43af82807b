import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Presents the current user's due campaigns, one after the other, while `run()` runs.
///
/// `PresentationQueue` decides. This does what it says: it reads the queue from the cache, fetches
/// files, records, and calls the presenters. One task at a time does so, so that no presenter gets
/// anything of a user who has left.
final class Presentations: CommitObserver {
  let dependencies: KitDependencies
  let sessions: Sessions
  let templates: Templates
  let options: Options.Presentations
  let files: KeptFiles
  let records: PresentationRecords
  let signal = AsyncSignal()
  /// Held while the state is used.
  let turn = AsyncMutex()
  let plans: @Sendable () -> RoutePlans
  let state: Locked<PresentationState>
  private let lease: SharedLease
  private let news = Locked(News())
  private let whenPresenting = Locked<@Sendable () async -> Void>({})
  /// How many prefetches are under way.
  let prefetches = Locked(0)

  /// What happened since the last turn.
  struct News: Sendable {
    var reports: [Presentation.Report] = []
    var prepared: [(id: QueuedCampaign.ID, outcome: Preparation)] = []
    var mode: PresentationMode?
    var isForeground: Bool?
    /// Whether the lists of campaigns changed, whose files are then fetched.
    var hasNewLists = true
  }

  /// What became of the files of a campaign that is due.
  enum Preparation: Sendable {
    case ready, missing
    /// The task was cancelled.
    case postponed
  }

  init(
    _ dependencies: KitDependencies, _ sessions: Sessions, _ templates: Templates,
    _ options: Options.Presentations, files: KeptFiles, lease: any SendLease,
    plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.dependencies = dependencies
    self.plans = plans
    self.sessions = sessions
    self.templates = templates
    self.options = options
    self.files = files
    self.lease = SharedLease(lease)
    records = PresentationRecords(dependencies, sessions)
    state = Locked(PresentationState(options))
  }

  /// Whether any provider has campaigns at all.
  var isNeeded: Bool {
    dependencies.providers.contains {
      $0.adapter.capabilities.ability(.campaigns).travel != .unsupported
    }
  }

  /// Runs the body before each turn in which campaigns are presented.
  func beforePresenting(_ body: @escaping @Sendable () async -> Void) {
    whenPresenting.withLock { $0 = body }
  }

  /// Tells that campaigns are presented now.
  func notePresenting() async {
    guard state.withLock(\.queue.mode) == .running else { return }
    let body = whenPresenting.withLock(\.self)
    await body()
  }

  // MARK: News

  private func note(_ change: (inout News) -> Void) {
    news.withLock { change(&$0) }
    signal.fire()
  }

  func takeNews() -> News {
    news.withLock { news in
      defer { news = News(hasNewLists: false) }
      return news
    }
  }

  /// Puts reports back that could not be recorded, before those that came meanwhile.
  func putBack(_ reports: ArraySlice<Presentation.Report>) {
    news.withLock { $0.reports.insert(contentsOf: reports, at: 0) }
  }

  func report(_ report: Presentation.Report) { note { $0.reports.append(report) } }

  /// Leaves the lists for a turn in which campaigns are presented.
  func noteNewLists() { news.withLock { $0.hasNewLists = true } }

  func setMode(_ mode: PresentationMode) { note { $0.mode = mode } }

  func scene(_ phase: ScenePhase) {
    guard !options.withoutScene else { return }
    note { $0.isForeground = phase == .active }
  }

  func observe(_ report: CommitReport, of partition: Partition) async {
    let hasNewLists = report.feeds.contains { $0.feed.surface == .campaigns }
    guard hasNewLists || report.hasNewCampaigns else { return }
    note { $0.hasNewLists = $0.hasNewLists || hasNewLists }
  }

  /// Looks for what another process or another user has queued, and whether the route has changed.
  func follow() { signal.fire() }

  // MARK: Running

  /// Presents until the task is cancelled. Of several processes of one cache, one presents.
  func run() async {
    guard isNeeded else { return }
    var mayPresent = false
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        let seen = signal.count
        mayPresent = mayPresent || mayRun()
        let later = mayPresent ? await takeTurn() : Later(nap: Self.longestNap)
        for task in later.tasks { group.addTask { await self.carryOut(task) } }
        await signal.wait(
          after: seen, until: dependencies.clock.uptime + later.nap, by: dependencies.clock)
      }
      group.cancelAll()
    }
    if mayPresent { lease.release() }
  }

  /// How long `presentDue` waits for the files of campaigns that are not due.
  private static let prefetchPatience: Duration = .seconds(5)

  /// Presents until nothing is visible and nothing is due, or the time is up. Waits a little for the
  /// files of campaigns that may become due. False if something is still due then, also where another
  /// process presents it.
  func presentDue(within limit: Duration) async -> Bool {
    guard isNeeded else { return true }
    guard mayRun() else { return await !isDue }
    defer { lease.release() }
    let start = dependencies.clock.uptime
    let (end, prefetchEnd) = (start + limit, start + min(limit, Self.prefetchPatience))
    return await withDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      while !Task.isCancelled {
        let seen = signal.count
        let later = await takeTurn()
        for task in later.tasks { group.addTask { await self.carryOut(task) } }
        if signal.count != seen { continue }
        let isIdle = state.withLock { $0.queue.isIdle(at: dependencies.clock.now) }
        // `run()` may have them.
        if isIdle && prefetches.withLock(\.self) == 0 { return true }
        let next = isIdle ? prefetchEnd : end
        guard dependencies.clock.uptime < next else { return isIdle }
        await signal.wait(
          after: seen, until: min(next, dependencies.clock.uptime + later.nap),
          by: dependencies.clock)
      }
      return false
    }
  }

  /// Whether the cache has something of the current user that is due.
  private var isDue: Bool {
    get async {
      let partition = dependencies.currentUser.userSession.partition
      let queued = try? await dependencies.store.queuedCampaigns(of: partition, after: 0)
      return queued?.contains { $0.presentAt <= dependencies.clock.now } ?? true
    }
  }

  /// What is done after a turn.
  struct Later: Sendable {
    var tasks: [FileTask] = []
    /// The time until the next turn, unless something happens before.
    var nap: Duration

    enum FileTask: Sendable {
      case prepare(QueuedCampaign.ID, [KeptFiles.Source], Partition)
      case prefetch([KeptFiles.Source], Partition)
    }
  }

  static let longestNap: Duration = .seconds(60)

  private func mayRun() -> Bool {
    do throws(EngagementError) {
      return try lease.tryAcquire()
    } catch {
      dependencies.log(
        .warning, "Campaigns wait, because their lock cannot be taken: \(error.code)")
      return false
    }
  }

  func carryOut(_ task: Later.FileTask) async {
    switch task {
    case .prepare(let id, let sources, let owner):
      let isReady = await files.fetch(sources, for: owner)
      let outcome: Preparation = isReady ? .ready : Task.isCancelled ? .postponed : .missing
      note { $0.prepared.append((id, outcome)) }
    case .prefetch(let sources, let owner):
      await files.prefetch(sources, for: owner)
      prefetches.withLock { $0 -= 1 }
      signal.fire()
    }
  }
}

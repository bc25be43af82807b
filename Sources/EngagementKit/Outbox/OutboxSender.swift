import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Sends the outbox to its vendors. Each provider and user has a delivery queue of its own.
///
/// Call `wake()` after a change of user, credential or consent.
final class OutboxSender: CommitObserver {
  /// How long it waits after a failure of the cache.
  static let retryInterval = Duration.seconds(5)
  /// How often it looks whether the process that sends has ended.
  private static let takeoverInterval = Duration.milliseconds(500)
  private static let leaseInterval = Duration.milliseconds(250)
  private static let longestRest = Duration.seconds(60)
  /// How long a request may go on after its drain was cancelled.
  private static let lastMoment = Duration.seconds(2)

  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]
  private let lease: SharedLease
  private let plans: PlanSource
  private let workers = DeliveryWorkers()
  private let afterRegistration = Locked<(@Sendable () async -> Void)?>(nil)
  private let phase = Locked(Phase())
  /// Fires when `run` has to stop sending, and when it has stopped.
  private let phaseChanges = AsyncSignal()

  private struct Phase {
    /// Whether `run` takes no new rows.
    var isStopping = false
    /// Whether `run` sends.
    var isSending = false
  }

  /// The plans of a user as they are now, also if another process has changed the routes.
  typealias PlanSource = @Sendable (Partition) async throws(EngagementError) -> RoutePlans

  /// - Parameter lease: Without it nothing is sent.
  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    lease: any SendLease, plans: @escaping PlanSource
  ) {
    self.plans = plans
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.lease = SharedLease(lease)
  }

  /// Calls the body whenever a vendor has taken a push token or refused it.
  func onRegistration(_ body: @escaping @Sendable () async -> Void) {
    afterRegistration.withLock { $0 = body }
  }

  func observe(_ report: CommitReport, of partition: Partition) async {
    for worker in workers.all { worker.observe(report, of: partition) }
  }

  /// Rows, the user, the credential or the consent may have changed.
  func wake() { for worker in workers.all { worker.wake() } }

  /// What waits is tried at once.
  func endPauses() { for worker in workers.all { worker.endPauses() } }

  /// Another process may have accepted or ended rows.
  func reread() { for worker in workers.all { worker.reread() } }

  /// Why this process's last attempt to send a partition's rows failed, for providers where it did.
  func failures(of partition: Partition) -> [ProviderID: EngagementError] {
    workers.all.filter { $0.partition == partition }.reduce(into: [:]) {
      $0[$1.provider] = $1.failure
    }
  }

  /// How many rows of a partition this process saw rejected, and why the last one was.
  func rejections(of partition: Partition) -> [ProviderID: (count: Int, last: EngagementError)] {
    workers.all.filter { $0.partition == partition }.reduce(into: [:]) { rejections, worker in
      let counts = worker.counts
      rejections[worker.provider] = counts.refusal.map { (counts.refused, $0) }
    }
  }

  // MARK: Sending

  /// Sends until the task is cancelled or `stop` is called.
  func run() async {
    while begins() {
      if acquire() {
        dependencies.log(.info, "The outbox sender starts.")
        while goesOn { await send(as: dependencies.currentUser.userSession) }
        lease.release()
        dependencies.log(.info, "The outbox sender stops.")
      }
      ends()
      await pause(for: Self.takeoverInterval)
    }
  }

  /// Lets `run` take no new rows, and returns when what it was sending has ended or the time is up.
  /// A request that is cut off may have reached its vendor, which then gets it twice.
  func stop(within limit: Duration) async {
    phase.withLock { $0.isStopping = true }
    phaseChanges.fire()
    wake()
    let end = dependencies.clock.uptime + limit
    while dependencies.clock.uptime < end, !Task.isCancelled {
      let seen = phaseChanges.count
      if !phase.withLock(\.isSending) { return }
      await phaseChanges.wait(after: seen, until: end, by: dependencies.clock)
    }
  }

  private var goesOn: Bool { !Task.isCancelled && !phase.withLock(\.isStopping) }

  private func begins() -> Bool {
    guard !Task.isCancelled else { return false }
    return phase.withLock { phase in
      phase.isSending = !phase.isStopping
      return phase.isSending
    }
  }

  private func ends() {
    phase.withLock { $0.isSending = false }
    phaseChanges.fire()
  }

  /// Waits, unless `run` has to stop.
  private func pause(for duration: Duration) async {
    let end = dependencies.clock.uptime + duration
    while dependencies.clock.uptime < end {
      let seen = phaseChanges.count
      guard goesOn else { return }
      await phaseChanges.wait(after: seen, until: end, by: dependencies.clock)
    }
  }

  /// Sends every queue of the user, until another user is current.
  private func send(as userSession: UserSession) async {
    let workers = dependencies.providers.compactMap {
      worker(for: $0.id, of: userSession.partition)
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { await self.send(worker, as: userSession) } }
      // Without a provider there is nothing to do, and yet another user may sign in.
      if workers.isEmpty { await pause(for: Self.longestRest) }
    }
    for worker in workers { worker.unload() }
  }

  private func send(_ worker: DeliveryWorker, as userSession: UserSession) async {
    while dependencies.currentUser.isCurrent(userSession) {
      let seen = worker.signal.count
      guard goesOn else { return }
      switch await worker.step() {
      case .moved: continue
      case .busy: await worker.signal.wait(after: seen)
      case .rest(let end):
        let latest = dependencies.clock.uptime + Self.longestRest
        await worker.signal.wait(
          after: seen, until: min(end ?? latest, latest), by: dependencies.clock)
      }
    }
  }

  // MARK: Draining

  /// Sends the user's pending rows for a provider until nothing is left that can be sent now, or
  /// until the time is up. Safe while `run` runs: a queue has one sender.
  func drain(
    _ provider: ProviderID, as userSession: UserSession, within limit: Duration
  ) async -> DrainReport {
    var report = DrainReport()
    if let worker = worker(for: provider, of: userSession.partition) {
      let before = worker.counts
      worker.askAgain()
      await drain(worker, until: dependencies.clock.uptime + limit)
      let counts = worker.counts
      report.delivered = counts.delivered - before.delivered
      report.kept = counts.kept - before.kept
      report.refused = counts.refused - before.refused
    }
    let counts = try? await dependencies.store.pendingCounts(in: userSession.partition)
    report.left = counts?[provider] ?? 0
    return report
  }

  /// Waits for the right to send; false if another process has it until the end, or has sent the rows.
  private func acquire(for worker: DeliveryWorker, until end: Duration) async -> Bool {
    while !acquire() {
      let counts = try? await dependencies.store.pendingCounts(in: worker.partition)
      if let counts, counts[worker.provider] ?? 0 == 0 { return false }
      let now = dependencies.clock.uptime
      guard now < end else { return false }
      await dependencies.clock.sleep(until: min(end, now + Self.leaseInterval))
      if Task.isCancelled { return false }
    }
    return true
  }

  private func drain(_ worker: DeliveryWorker, until end: Duration) async {
    guard await acquire(for: worker, until: end) else { return }
    defer { lease.release() }
    while !Task.isCancelled, dependencies.clock.uptime < end {
      let seen = worker.signal.count
      switch await step(of: worker, until: end) {
      case .moved: continue
      case .busy: await worker.signal.wait(after: seen, until: end, by: dependencies.clock)
      case .rest: return
      }
    }
  }

  /// One step of a drain, which is cut off when the drain's time is up. A drain that is cancelled gives
  /// it a moment: a request that is cut off may have arrived, and would be sent again.
  private func step(
    of worker: DeliveryWorker, until end: Duration
  ) async -> DeliveryWorker.StepResult {
    let clock = dependencies.clock
    let isCancelled = AsyncSignal()
    let step = Task { await worker.step() }
    let cut = Task {
      await isCancelled.wait(after: 0, until: end, by: clock)
      await clock.sleep(until: min(end, clock.uptime + Self.lastMoment))
      if !Task.isCancelled { step.cancel() }
    }
    defer { cut.cancel() }
    return await withTaskCancellationHandler {
      await step.value
    } onCancel: {
      isCancelled.fire()
    }
  }

  /// Sends the user's pending rows for a provider until nothing is left that can be sent now or the
  /// time is up. A request under way is never cut off.
  ///
  /// - Parameter waitsForOthers: Whether to wait while another process has the right to send, which may
  ///   then send these rows.
  func send(
    _ provider: ProviderID, as userSession: UserSession, within limit: Duration,
    waitsForOthers: Bool
  ) async {
    guard let worker = worker(for: provider, of: userSession.partition) else { return }
    let end = dependencies.clock.uptime + limit
    let mayWaitUntil = waitsForOthers ? end : dependencies.clock.uptime
    guard await acquire(for: worker, until: mayWaitUntil) else { return }
    defer { lease.release() }
    worker.askAgain()
    while dependencies.clock.uptime < end, dependencies.currentUser.isCurrent(userSession) {
      let seen = worker.signal.count
      // A task of its own, which the end of this one does not cancel.
      switch await Task(operation: { await worker.step() }).value {
      case .moved: continue
      case .busy: await worker.signal.wait(after: seen, until: end, by: dependencies.clock)
      case .rest: return
      }
    }
  }

  /// Runs the body while this process sends none of the user's rows to the provider. A request that is under
  /// way ends first, unless the time is up.
  func holding(
    _ provider: ProviderID, of userSession: UserSession, within limit: Duration,
    _ body: () async -> Void
  ) async {
    guard let worker = worker(for: provider, of: userSession.partition) else { return await body() }
    let end = dependencies.clock.uptime + limit
    var isHeld = false
    repeat {
      let seen = worker.signal.count
      isHeld = worker.begin()
      if !isHeld { await worker.signal.wait(after: seen, until: end, by: dependencies.clock) }
    } while !isHeld && dependencies.clock.uptime < end && !Task.isCancelled
    await body()
    if isHeld { worker.end() }
  }

  private func worker(for id: ProviderID, of partition: Partition) -> DeliveryWorker? {
    guard let runtime = runtimes[id] else { return nil }
    return workers.worker(for: id, of: partition) { inFlight in
      DeliveryWorker(
        runtime, of: partition, with: dependencies, inFlight: inFlight, plans: plans
      ) { [afterRegistration] in await afterRegistration.withLock(\.self)?() }
    }
  }

  private func acquire() -> Bool {
    do throws(EngagementError) {
      return try lease.tryAcquire()
    } catch {
      dependencies.log(.warning, "The right to send can't be had: \(error.code).")
      return false
    }
  }
}

/// What a drain did and what it left.
struct DrainReport: Hashable, Sendable {
  var delivered = 0
  var kept = 0
  var refused = 0
  var left = 0
}

/// The workers of all queues that were needed so far, since a worker remembers its failures.
private final class DeliveryWorkers: Sendable {
  private struct QueueID: Hashable {
    var provider: ProviderID
    var partition: Partition.ID
  }

  private let inFlight = InFlightRows()
  private let workers = Locked<[QueueID: DeliveryWorker]>([:])

  var all: [DeliveryWorker] { workers.withLock { Array($0.values) } }

  func worker(
    for provider: ProviderID, of partition: Partition,
    otherwise make: (InFlightRows) -> DeliveryWorker
  ) -> DeliveryWorker {
    workers.withLock { workers in
      let id = QueueID(provider: provider, partition: partition.id)
      if let worker = workers[id] { return worker }
      let worker = make(inFlight)
      workers[id] = worker
      return worker
    }
  }
}

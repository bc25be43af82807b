import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Sends what one delivery queue gives, one batch at a time.
final class DeliveryWorker: Sendable {
  /// The result of a step.
  enum StepResult: Equatable, Sendable {
    case moved
    /// There is nothing to do before then; nil for nothing before the signal.
    case rest(until: Duration?)
    /// Another task takes a step: the signal fires when it is done.
    case busy
  }

  /// How many rows ended here so far.
  struct Counts: Sendable {
    var delivered = 0
    var kept = 0
    var refused = 0
    /// Why the vendor refused the last of them.
    var refusal: EngagementError?
  }

  let signal = AsyncSignal()
  let partition: Partition
  private let runtime: ProviderRuntime
  private let dependencies: KitDependencies
  private let inFlight: InFlightRows
  private let plans: OutboxSender.PlanSource
  private let afterRegistration: @Sendable () async -> Void
  private let state: Locked<State>

  private struct State {
    var queue: DeliveryQueue
    var isBusy = false
    var isAskedFor = false
    /// Endings that are not durable yet.
    var unsettled: [(row: OutboxRow.ID, ending: Ending)] = []
    var counts = Counts()
    /// Why the last attempt failed; nil if it did not.
    var failure: EngagementError?
  }

  /// - Parameter afterRegistration: Called when the vendor has taken a push token or refused it.
  init(
    _ runtime: ProviderRuntime, of partition: Partition, with dependencies: KitDependencies,
    inFlight: InFlightRows, plans: @escaping OutboxSender.PlanSource,
    afterRegistration: @escaping @Sendable () async -> Void = {}
  ) {
    self.plans = plans
    self.afterRegistration = afterRegistration
    self.runtime = runtime
    self.partition = partition
    self.dependencies = dependencies
    self.inFlight = inFlight
    state = Locked(State(queue: DeliveryQueue(runtime.capabilities)))
  }

  var provider: ProviderID { runtime.id }
  var counts: Counts { state.withLock { $0.counts } }
  /// Why the last attempt failed; nil if it did not.
  var failure: EngagementError? { state.withLock { $0.failure } }

  // MARK: News

  /// Rows, the credential or the consent may have changed.
  func wake() {
    state.withLock { $0.queue.wake() }
    signal.fire()
  }

  /// Somebody waits for the rows: a credential that was missing is asked for again.
  func askAgain() { if failure?.code == .unauthenticated { wake() } }

  /// What waits is tried at once.
  func endPauses() {
    let now = dependencies.clock.uptime
    state.withLock { $0.queue.endPauses(at: now) }
    signal.fire()
  }

  /// Another process may have accepted or ended rows.
  func reread() {
    state.withLock { $0.queue.invalidate() }
    signal.fire()
  }

  /// Takes note of a commit.
  func observe(_ report: CommitReport, of partition: Partition) {
    let isConcerned = state.withLock { state in
      let isConcerned =
        report.hasNewRows && partition.id == self.partition.id
        || report.ended.contains { state.queue.has($0.key) }
      if isConcerned { state.queue.invalidate() }
      return isConcerned
    }
    if isConcerned { signal.fire() }
  }

  /// Drops the rows from memory until they are needed again.
  func unload() { state.withLock { if !$0.isBusy { $0.queue.unload() } } }

  // MARK: Steps

  /// Does the next thing that there is to do, unless another task does.
  func step() async -> StepResult {
    guard begin() else { return .busy }
    defer { end() }
    do throws(EngagementError) {
      try await settle([])
      switch state.withLock({ $0.queue.next(at: dependencies.clock.uptime) }) {
      case .read(let limit): try await read(limit)
      case .end(let endings): try await settle(endings)
      case .send(let batch): return try await send(batch)
      case .rest(let end): return .rest(until: end)
      }
      return .moved
    } catch {
      state.withLock { $0.queue.invalidate() }
      dependencies.log(.warning, "The outbox can't be worked on: \(error.code).", runtime.id)
      return .rest(until: dependencies.clock.uptime + OutboxSender.retryInterval)
    }
  }

  /// Takes the right to a step; false while another task has it. `end` gives it back.
  func begin() -> Bool {
    state.withLock { state in
      state.isAskedFor = state.isBusy
      defer { state.isBusy = true }
      return !state.isBusy
    }
  }

  /// The signal fires only for tasks that were told `busy`, or a worker would wake itself for ever.
  func end() {
    let isAskedFor = state.withLock { state in
      state.isBusy = false
      return state.isAskedFor
    }
    if isAskedFor { signal.fire() }
  }

  private func read(_ limit: Int) async throws(EngagementError) {
    let rows = try await dependencies.store.pending(for: runtime.id, in: partition, limit: limit)
    state.withLock { $0.queue.load(rows, isWhole: rows.count < limit) }
  }

  private func send(_ batch: OutboxBatch) async throws(EngagementError) -> StepResult {
    let ids = batch.rows.map(\.id)
    guard inFlight.begin(ids) else {
      state.withLock { $0.queue.invalidate() }
      return .rest(until: dependencies.clock.uptime + Backoff.shortest)
    }
    defer { inFlight.end(ids) }
    guard try await isLed(batch) else {
      try await withhold(batch)
      return .moved
    }
    let present = dependencies.currentUser.userSession
    try await dependencies.store.begin(
      ids, as: batch.batchID, called: batch.batchID == nil ? nil : batch.key, waited: batch.waited)
    state.withLock { $0.queue.begin(batch, at: dependencies.clock.uptime) }
    let attempt = batch.attempt(
      by: partition.user, in: present.partition == partition ? present.generation : nil)
    dependencies.log(
      .verbose, "Sends \(batch.verb), \(batch.rows.count) of it, try \(attempt.number).",
      runtime.id)
    let execution = await runtime.runner.execute(batch.operation, attempt, for: ids)
    log(execution, of: batch)
    try await end(batch, execution)
    return .moved
  }

  /// Whether a route still leads to the vendor, for what only such a vendor may be told.
  private func isLed(_ batch: OutboxBatch) async throws(EngagementError) -> Bool {
    guard [.registerPush, .associate].contains(batch.verb) else { return true }
    return try await plans(partition).lead(to: runtime.id, telling: batch.verb)
  }

  /// Ends what is not sent any more. The queue reads its rows again when it hears of that.
  private func withhold(_ batch: OutboxBatch) async throws(EngagementError) {
    let report = try await dependencies.store.withhold(
      batch.rows.map(\.id), at: dependencies.clock.now)
    state.withLock { $0.counts.add(report.ended) }
    dependencies.log(
      .info, "\(batch.verb) is kept here: no route leads to the vendor any more.", runtime.id)
    await dependencies.commitPublisher.publish(report, of: partition)
  }

  private func end(
    _ batch: OutboxBatch, _ execution: OperationRunner.Execution
  ) async throws(EngagementError) {
    let now = DeliveryQueue.Now(
      uptime: dependencies.clock.uptime, date: dependencies.clock.now, random: dependencies.random()
    )
    let settlement = state.withLock { state in
      state.failure = execution.outcome.failure
      return state.queue.end(batch, execution.outcome, at: now)
    }
    switch settlement {
    case .keep: break
    case .split(let batch): try await dependencies.store.split(batch)
    case .takeBack(let rows): try await dependencies.store.takeBack(rows)
    case .end(let endings):
      try await settle(
        endings.map { ($0.row, $0.ending == .delivered && !execution.wasSent ? .kept : $0.ending) })
      if batch.verb == .registerPush { await afterRegistration() }
    }
    if execution.outcome.failure != nil { try await noteFailure(of: batch) }
  }

  /// Some campaigns may be due only when the first answer is there or there is none.
  private func noteFailure(of batch: OutboxBatch) async throws(EngagementError) {
    let report = try await dependencies.store.noteFailedAttempt(
      batch.rows.map(\.id), at: dependencies.clock.now)
    if report != CommitReport() {
      await dependencies.commitPublisher.publish(report, of: partition)
    }
  }

  /// Makes endings durable, first those that could not be made durable before: a row that the
  /// vendor took must not be sent again.
  private func settle(
    _ endings: [(row: OutboxRow.ID, ending: Ending)]
  ) async throws(EngagementError) {
    let all = state.withLock { state in
      state.unsettled += endings
      return state.unsettled
    }
    guard !all.isEmpty else { return }
    let report = try await dependencies.store.settle(all, at: dependencies.clock.now)
    state.withLock { state in
      state.unsettled = []
      state.counts.add(report.ended)
    }
    await dependencies.commitPublisher.publish(report, of: partition)
  }

  private func log(_ execution: OperationRunner.Execution, of batch: OutboxBatch) {
    let (verb, log) = (batch.verb, dependencies.log)
    switch execution.outcome {
    case .done where !execution.wasSent:
      log(.info, "\(verb) is kept here, \(batch.rows.count) of it: nothing was sent.", runtime.id)
    case .done: log(.info, "Delivered \(verb), \(batch.rows.count) of it.", runtime.id)
    case .partly(let rejected):
      log(.info, "Delivered \(verb); \(rejected.count) of it were refused.", runtime.id)
    case .wait: log(.verbose, "\(verb) waits: nothing was sent.", runtime.id)
    case .retry(let error): log(.info, "\(verb) failed for now: \(error.code).", runtime.id)
    case .refused(let error), .cancelled(let error, _):
      log(.info, "\(verb) was refused: \(error.code).", runtime.id)
    }
  }
}

extension OperationRunner.Outcome {
  /// Why the operation did not work.
  fileprivate var failure: EngagementError? {
    switch self {
    case .done, .partly, .wait, .cancelled: nil
    case .retry(let error), .refused(let error): error
    }
  }
}

extension DeliveryWorker.Counts {
  fileprivate mutating func add(_ ended: [CommitReport.Ended]) {
    for ended in ended {
      switch ended.ending {
      case .delivered: delivered += 1
      case .kept: kept += 1
      case .rejected(let error):
        refused += 1
        refusal = error
      case .expired, .evicted, .wiped: break
      }
    }
  }
}

/// The rows that are being sent. A row that a user adopted from the anonymous one must not be sent
/// a second time before the first answer.
final class InFlightRows: Sendable {
  private let rows = Locked<Set<OutboxRow.ID>>([])

  /// Whether none of them was being sent.
  func begin(_ ids: [OutboxRow.ID]) -> Bool {
    rows.withLock { rows in
      guard rows.isDisjoint(with: ids) else { return false }
      rows.formUnion(ids)
      return true
    }
  }

  func end(_ ids: [OutboxRow.ID]) { rows.withLock { $0.subtract(ids) } }
}

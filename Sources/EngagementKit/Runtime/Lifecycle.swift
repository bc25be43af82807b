import EngagementModel

/// Whether `run()` may work, and whether it does.
final class Lifecycle: Sendable {
  private struct State {
    var isClosed = false
    var isSuspended = false
    var isRunning = false
    var isWorking = false
    var hasWarned = false
  }

  private let state = Locked(State())
  /// Fires after each change of the state.
  private let changes = AsyncSignal()

  /// Does the work except while it is suspended, until this task is cancelled or `close` is called.
  ///
  /// Throws `busy` while another task runs it, `conflict` once it is closed.
  func run(_ work: @escaping @Sendable () async -> Void) async throws(EngagementError) {
    let fault = state.withLock { state -> EngagementError? in
      if state.isClosed { return Self.closed }
      if state.isRunning { return EngagementError(.busy, "It runs already; run it once.") }
      state.isRunning = true
      return nil
    }
    if let fault { throw fault }
    defer { change { $0.isRunning = false } }
    while !Task.isCancelled {
      await wait { $0.isClosed || !$0.isSuspended }
      switch begin() {
      case .work: await turn(of: work)
      case .later: continue
      case .never: return
      }
    }
  }

  /// Throws `conflict` once it is closed.
  func checkOpen() throws(EngagementError) {
    if state.withLock(\.isClosed) { throw Self.closed }
  }

  /// Warns, once, that accepted actions are not sent because `run()` is not running.
  func noteAccepted(_ log: Log) {
    let isFirst = state.withLock { state in
      guard !state.isRunning, !state.hasWarned else { return false }
      state.hasWarned = true
      return true
    }
    guard isFirst else { return }
    log(.warning, "An action was accepted, but nothing is sent until run() or flush() is called.")
  }

  static let closed = EngagementError(.conflict, "The engagement is closed; open another.")

  /// Works until it is told to stop.
  private func turn(of work: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await work() }
      group.addTask { await self.wait { $0.isClosed || $0.isSuspended } }
      await group.next()
      group.cancelAll()
    }
    change { $0.isWorking = false }
  }

  private enum Leave {
    case work, later, never
  }

  private func begin() -> Leave {
    state.withLock { state in
      if state.isClosed { return .never }
      if state.isSuspended || Task.isCancelled { return .later }
      state.isWorking = true
      return .work
    }
  }

  // MARK: Suspending and closing

  /// Returns when nothing works any more.
  func suspend() async {
    change { $0.isSuspended = true }
    await waitThroughCancellation { !$0.isWorking }
  }

  func resume() { change { $0.isSuspended = false } }

  /// Returns when nothing runs any more; whether this was the call that closed it.
  func close() async -> Bool {
    let isFirst = state.withLock { !$0.isClosed }
    change { $0.isClosed = true }
    await waitThroughCancellation { !$0.isRunning }
    return isFirst
  }

  // MARK: Waiting

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    changes.fire()
  }

  /// Returns when the condition holds or the task is cancelled.
  private func wait(until condition: (State) -> Bool) async {
    while !Task.isCancelled {
      let seen = changes.count
      if state.withLock({ condition($0) }) { return }
      await changes.wait(after: seen)
    }
  }

  /// Returns when the condition holds, also for a task that is cancelled: its caller must not go on
  /// before.
  private func waitThroughCancellation(until condition: (State) -> Bool) async {
    while true {
      let seen = changes.count
      if state.withLock({ condition($0) }) { return }
      await changes.waitThroughCancellation(after: seen)
    }
  }
}

import EngagementModel

/// Whether the library's long work may run, and whether it does.
final class Life: Sendable {
  private struct State {
    var isClosed = false
    var isSuspended = false
    var isRunning = false
    var isWorking = false
    var watchers: [Int: Watcher] = [:]
    var nextWatcher = 0
  }

  private struct Watcher {
    var condition: Condition
    var continuation: CheckedContinuation<Void, Never>
  }

  private let state = Locked(State())

  /// Does the work whenever it may be done, until this task is cancelled or the life is closed.
  ///
  /// Throws `busy` while it is done elsewhere, `conflict` once it is closed.
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

  static let closed = EngagementError(.conflict, "It is closed; open another.")

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

  // MARK: Telling it

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
    let ready = state.withLock { state in
      body(&state)
      let ready = state.watchers.filter { $0.value.condition(state) }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  private typealias Condition = @Sendable (State) -> Bool

  /// Returns when the condition holds or the task is cancelled.
  private func wait(_ condition: @escaping Condition) async {
    let id = number()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        watch(id, condition, continuation) { Task.isCancelled }
      }
    } onCancel: {
      state.withLock { $0.watchers.removeValue(forKey: id)?.continuation }?.resume()
    }
  }

  /// Returns when the condition holds, also for a task that is cancelled: what comes after must
  /// not happen before.
  private func waitThroughCancellation(_ condition: @escaping Condition) async {
    let id = number()
    await withCheckedContinuation { watch(id, condition, $0) { false } }
  }

  private func number() -> Int {
    state.withLock { state in
      state.nextWatcher += 1
      return state.nextWatcher
    }
  }

  private func watch(
    _ id: Int, _ condition: @escaping Condition, _ continuation: CheckedContinuation<Void, Never>,
    unless isOver: () -> Bool
  ) {
    let holds = state.withLock { state in
      if condition(state) || isOver() { return true }
      state.watchers[id] = Watcher(condition: condition, continuation: continuation)
      return false
    }
    if holds { continuation.resume() }
  }
}

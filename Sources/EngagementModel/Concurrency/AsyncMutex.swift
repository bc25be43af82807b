/// Lets one task at a time do something that waits, in the order in which the tasks asked.
package final class AsyncMutex: Sendable {
  private struct State {
    var isLocked = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  package init() {}

  /// How many tasks wait for the lock.
  package var waiting: Int { state.withLock { $0.waiting.count } }

  /// Waits for the lock. A cancelled task waits too, and has to unlock.
  package func lock() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isLocked { state.waiting.append(continuation) }
        defer { state.isLocked = true }
        return !state.isLocked
      }
      if isFree { continuation.resume() }
    }
  }

  package func unlock() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isLocked = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

import EngagementModel

/// Wakes those who wait for something to do. Whoever read the count before looking misses nothing.
final class Bell: Sendable {
  private struct State {
    var count = 0
    var next = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Locked(State())

  /// How often it has rung.
  var count: Int { state.withLock { $0.count } }

  func ring() {
    let waiters = state.withLock { state in
      state.count += 1
      defer { state.waiters = [:] }
      return state.waiters.values.map { $0 }
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until it has rung more often than that, or the task is cancelled.
  func wait(after count: Int) async {
    let waiter = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if !enter(waiter, after: count, continuation) { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }

  /// The same, but no longer than until then.
  func wait(after count: Int, until end: Duration, by clock: any EngagementClock) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(after: count) }
      group.addTask { await clock.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Whether there is something to wait for.
  private func enter(
    _ waiter: Int, after count: Int, _ continuation: CheckedContinuation<Void, Never>
  ) -> Bool {
    state.withLock { state in
      // A task that is cancelled before this is told so here; one that is cancelled later finds
      // its continuation.
      guard state.count == count, !Task.isCancelled else { return false }
      state.waiters[waiter] = continuation
      return true
    }
  }
}

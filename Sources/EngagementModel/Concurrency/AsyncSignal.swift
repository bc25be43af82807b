/// Wakes the tasks that wait for something to do.
///
/// Read `count`, look for work, and wait with that count: a signal in between is not missed.
package final class AsyncSignal: Sendable {
  private struct State {
    var count = 0
    var waiters = Waiters<Void>()
  }

  private let state = Locked(State())

  package init() {}

  /// How often it was fired.
  package var count: Int { state.withLock { $0.count } }

  package func fire() {
    let woken = state.withLock { state in
      state.count += 1
      return state.waiters.removeAll()
    }
    woken.resume()
  }

  /// Waits until it was fired more often than that, or the task is cancelled.
  package func wait(after count: Int) async {
    _ = await state.wait(in: \.waiters) { $0.count == count ? nil : () }
  }

  /// As `wait(after:)`, also for a task that is cancelled.
  package func waitThroughCancellation(after count: Int) async {
    _ = await state.waitThroughCancellation(in: \.waiters) { $0.count == count ? nil : () }
  }
}

import EngagementModel

/// Lets one task sleep until a time or until it is woken, whichever comes first.
final class Alarm: Sendable {
  private struct State {
    var hasRung = false
    var bell: AsyncStream<Void>.Continuation?
  }

  private let state = Locked(State())

  /// Wakes the sleeper; one that is not asleep yet does not fall asleep.
  func ring() {
    let bell = state.withLock { state in
      state.hasRung = true
      return state.bell
    }
    bell?.finish()
  }

  /// Returns at that uptime, when the alarm rings or rang since the last time, and when the task
  /// is cancelled.
  func sleep(until uptime: Duration, by clock: any EngagementClock) async {
    let (stream, bell) = AsyncStream<Void>.makeStream()
    let hasRung = state.withLock { state in
      state.bell = bell
      return state.hasRung
    }
    if !hasRung {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await clock.sleep(until: uptime) }
        group.addTask { for await _ in stream {} }
        await group.next()
        group.cancelAll()
      }
    }
    // Whoever rings has made its change before, and what is awake now looks at everything.
    state.withLock { $0 = State() }
  }
}

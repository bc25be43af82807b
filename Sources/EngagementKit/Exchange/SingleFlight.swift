import EngagementModel

/// Lets many tasks that need the same thing done do it once.
///
/// The first to come does the work, in its own task; whoever comes meanwhile waits and shares the
/// outcome. A leader that gives up, because its task was cancelled, leaves the work to the next.
/// Work may need other work; needing oneself, through any number of others, is told apart from
/// waiting and refused.
final class SingleFlight<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
  /// How it ended for one who asked.
  enum Landing: Sendable {
    /// The work was done, by this task or by another.
    case landed(Outcome)
    /// The leader gave up or this task was cancelled: ask again, or stop.
    case abandoned
    /// Waiting would never end: the work is needed for itself.
    case circular
  }

  private struct Flight {
    /// The work that the leader waits for in turn.
    var waitsFor: Key?
    var waiters: [Int: Waiter] = [:]
  }

  private struct State {
    var flights: [Key: Flight] = [:]
    var nextWaiter = 0
    var landings = 0
    /// How work ended that somebody may come late for.
    var last: [Key: (number: Int, landing: Landing)] = [:]
  }

  private let state = Locked(State())

  /// Does the work of the key, or waits for whoever does it.
  ///
  /// - Parameters:
  ///   - key: What is to be done.
  ///   - parent: The work that this task leads and that needs this; nil outside any.
  ///   - moment: The value of `landings` when the need arose: work that has landed since then
  ///     answers it. Nil for a need of now.
  ///   - work: Does it; nil when it gave up.
  func run(
    _ key: Key, for parent: Key?, since moment: Int? = nil, work: () async -> Outcome?
  ) async -> Landing {
    switch enter(key, for: parent, since: moment) {
    case .answered(let landing):
      return landing
    case .follower(let number, let waiter):
      let landing = await waiter.landing { leave(key, number) }
      if let parent { state.withLock { $0.flights[parent]?.waitsFor = nil } }
      return landing
    case .leader:
      let landing = await work().map(Landing.landed) ?? .abandoned
      for waiter in land(key, parent, landing, isKept: moment != nil) { waiter.land(landing) }
      return landing
    }
  }

  /// How often work was done so far.
  var landings: Int { state.withLock { $0.landings } }

  /// How many wait for any work.
  var waiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

  /// How many wait for the work of the key.
  func waiting(for key: Key) -> Int {
    state.withLock { $0.flights[key]?.waiters.count ?? 0 }
  }

  private enum Part {
    case answered(Landing)
    case leader
    case follower(Int, Waiter)
  }

  /// Decided at once: between a look and a lead the work could land unseen.
  private func enter(_ key: Key, for parent: Key?, since moment: Int?) -> Part {
    state.withLock { state in
      if let moment, let last = state.last[key], last.number > moment {
        return .answered(last.landing)
      }
      guard state.flights[key] != nil else {
        state.flights[key] = Flight()
        if let parent { state.flights[parent]?.waitsFor = key }
        return .leader
      }
      if let parent {
        var next: Key? = key
        while let key = next {
          if key == parent { return .answered(.circular) }
          next = state.flights[key]?.waitsFor
        }
        state.flights[parent]?.waitsFor = key
      }
      state.nextWaiter += 1
      let waiter = Waiter()
      state.flights[key]?.waiters[state.nextWaiter] = waiter
      return .follower(state.nextWaiter, waiter)
    }
  }

  private func land(_ key: Key, _ parent: Key?, _ landing: Landing, isKept: Bool) -> [Waiter] {
    state.withLock { state in
      if let parent { state.flights[parent]?.waitsFor = nil }
      if case .landed = landing {
        state.landings += 1
        if isKept { state.last[key] = (state.landings, landing) }
      }
      return state.flights.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
    }
  }

  private func leave(_ key: Key, _ number: Int) {
    let waiter = state.withLock { $0.flights[key]?.waiters.removeValue(forKey: number) }
    waiter?.land(.abandoned)
  }

  /// Brings one landing to one task, whichever of the two is there first.
  private final class Waiter: Sendable {
    private enum State {
      case coming
      case waiting(CheckedContinuation<Landing, Never>)
      case landed(Landing)
    }

    private let state = Locked(State.coming)

    func landing(onCancel leave: @Sendable () -> Void) async -> Landing {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let landing: Landing? = state.withLock { state in
            if case .landed(let landing) = state { return landing }
            state = .waiting(continuation)
            return nil
          }
          if let landing { continuation.resume(returning: landing) }
        }
      } onCancel: {
        leave()
      }
    }

    func land(_ landing: Landing) {
      let continuation: CheckedContinuation<Landing, Never>? = state.withLock { state in
        defer { state = .landed(landing) }
        if case .waiting(let continuation) = state { return continuation } else { return nil }
      }
      continuation?.resume(returning: landing)
    }
  }
}

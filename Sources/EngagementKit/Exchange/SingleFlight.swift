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
    var waiters: [Int: CheckedContinuation<Landing, Never>] = [:]
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
    if let moment, let landing = landing(of: key, since: moment) { return landing }
    guard lead(key, for: parent) else { return await wait(for: key, as: parent) }
    let outcome = await work()
    let landing = outcome.map(Landing.landed) ?? .abandoned
    for waiter in land(key, parent, landing, isKept: moment != nil) {
      waiter.resume(returning: landing)
    }
    return landing
  }

  /// How often work was done so far.
  var landings: Int { state.withLock { $0.landings } }

  private func landing(of key: Key, since moment: Int) -> Landing? {
    state.withLock { state in
      state.last[key].flatMap { $0.number > moment ? $0.landing : nil }
    }
  }

  /// How many wait for any work.
  var waiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

  /// How many wait for the work of the key.
  func waiting(for key: Key) -> Int {
    state.withLock { $0.flights[key]?.waiters.count ?? 0 }
  }

  /// Whether this task is the one to do the work.
  private func lead(_ key: Key, for parent: Key?) -> Bool {
    state.withLock { state in
      guard state.flights[key] == nil else { return false }
      state.flights[key] = Flight()
      if let parent { state.flights[parent]?.waitsFor = key }
      return true
    }
  }

  private func land(
    _ key: Key, _ parent: Key?, _ landing: Landing, isKept: Bool
  ) -> [CheckedContinuation<Landing, Never>] {
    state.withLock { state in
      if let parent { state.flights[parent]?.waitsFor = nil }
      if case .landed = landing {
        state.landings += 1
        if isKept { state.last[key] = (state.landings, landing) }
      }
      return state.flights.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
    }
  }

  private func wait(for key: Key, as parent: Key?) async -> Landing {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let landing = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let now = join(key, as: parent, waiter, continuation) {
          continuation.resume(returning: now)
        }
      }
    } onCancel: {
      leave(key, waiter)
    }
    if let parent { state.withLock { $0.flights[parent]?.waitsFor = nil } }
    return landing
  }

  /// Waits, or says why there is nothing to wait for.
  private func join(
    _ key: Key, as parent: Key?, _ waiter: Int, _ continuation: CheckedContinuation<Landing, Never>
  ) -> Landing? {
    state.withLock { state in
      guard state.flights[key] != nil, !Task.isCancelled else { return .abandoned }
      if let parent {
        var next: Key? = key
        while let key = next {
          if key == parent { return .circular }
          next = state.flights[key]?.waitsFor
        }
        state.flights[parent]?.waitsFor = key
      }
      state.flights[key]?.waiters[waiter] = continuation
      return nil
    }
  }

  private func leave(_ key: Key, _ waiter: Int) {
    let continuation = state.withLock { $0.flights[key]?.waiters.removeValue(forKey: waiter) }
    continuation?.resume(returning: .abandoned)
  }
}

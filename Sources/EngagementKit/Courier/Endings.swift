import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// What became of rows, for those who wait to hear it.
final class Endings: Sendable {
  /// How many endings are remembered that nobody has asked about yet.
  static let memory = 1_000

  fileprivate struct State {
    var recent: [OperationKey: Ending] = [:]
    /// The keys of `recent`, the oldest at `oldest` once it is full.
    var order: [OperationKey] = []
    var oldest = 0
    var watches: [OperationKey: [Watch]] = [:]
  }

  private let state = Locked(State())

  /// Begins to look at what becomes of the keys.
  func watch(_ keys: [OperationKey]) -> Watch {
    let watch = Watch(keys)
    let known = state.withLock { state in
      let known = keys.compactMap { key in state.recent[key].map { (key, $0) } }
      for key in keys where state.recent[key] == nil {
        state.watches[key, default: []].append(watch)
      }
      return known
    }
    for (key, ending) in known { watch.note(key, ending) }
    return watch
  }

  func note(_ ended: [CommitReport.Ended]) {
    let told = state.withLock { state in
      ended.flatMap { ended in
        state.remember(ended)
        return (state.watches.removeValue(forKey: ended.key) ?? []).map { ($0, ended) }
      }
    }
    for (watch, ended) in told { watch.note(ended.key, ended.ending) }
  }
}

extension Endings.State {
  fileprivate mutating func remember(_ ended: CommitReport.Ended) {
    guard recent.updateValue(ended.ending, forKey: ended.key) == nil else { return }
    guard order.count == Endings.memory else { return order.append(ended.key) }
    recent[order[oldest]] = nil
    order[oldest] = ended.key
    oldest = (oldest + 1) % Endings.memory
  }
}

/// Waits until a number of rows have ended.
final class Watch: Sendable {
  fileprivate struct State {
    var left: Set<OperationKey>
    var worst = Ending.delivered
    var next = 0
    var waiters: [Int: CheckedContinuation<Ending?, Never>] = [:]
  }

  private let state: Locked<State>

  init(_ keys: [OperationKey]) { state = Locked(State(left: Set(keys))) }

  /// The keys of which nothing is known yet.
  var left: Set<OperationKey> { state.withLock { $0.left } }

  func note(_ key: OperationKey, _ ending: Ending) {
    let (waiters, worst) = state.withLock { state in
      (state.note(key, ending), state.worst)
    }
    for waiter in waiters { waiter.resume(returning: worst) }
  }

  /// How they ended, which of several is how the worst one did; nil when the task is cancelled
  /// first.
  func ending() async -> Ending? {
    let waiter = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let known = enter(waiter, continuation) { continuation.resume(returning: known) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil)
    }
  }

  /// What is known already; nil where the continuation is kept.
  private func enter(
    _ waiter: Int, _ continuation: CheckedContinuation<Ending?, Never>
  ) -> Ending?? {
    state.withLock { state in
      if state.left.isEmpty { return .some(state.worst) }
      if Task.isCancelled { return .some(nil) }
      state.waiters[waiter] = continuation
      return nil
    }
  }
}

extension Watch.State {
  /// Those who have nothing to wait for any more.
  fileprivate mutating func note(
    _ key: OperationKey, _ ending: Ending
  ) -> [CheckedContinuation<Ending?, Never>] {
    guard left.remove(key) != nil else { return [] }
    if ending.weight > worst.weight { worst = ending }
    guard left.isEmpty else { return [] }
    defer { waiters = [:] }
    return Array(waiters.values)
  }
}

extension Ending {
  /// How much there is to tell of it.
  fileprivate var weight: Int {
    switch self {
    case .delivered: 0
    case .evicted, .wiped: 1
    case .expired: 2
    case .rejected: 3
    }
  }
}

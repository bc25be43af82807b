import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Tells receipts how their rows ended.
///
/// A receipt begins to watch its keys before its rows are accepted, so no ending can be missed.
final class ReceiptOutcomes: CommitObserver {
  private let watches = Locked<[OperationKey: ReceiptWatch]>([:])

  /// Begins to watch rows that are about to be accepted.
  func add(_ watch: ReceiptWatch, of keys: [OperationKey]) {
    watch.begin(keys)
    watches.withLock { watches in for key in keys { watches[key] = watch } }
  }

  /// Forgets rows that were not accepted after all.
  func remove(_ watch: ReceiptWatch) {
    let keys = watch.left
    watches.withLock { watches in for key in keys { watches[key] = nil } }
  }

  func observe(_ report: CommitReport, of partition: Partition) async {
    guard !report.ended.isEmpty else { return }
    let ended = watches.withLock { watches in
      report.ended.compactMap { row in watches.removeValue(forKey: row.key).map { ($0, row) } }
    }
    for (watch, row) in ended { watch.note(row.key, row.ending) }
  }
}

/// Waits until a number of rows have ended.
final class ReceiptWatch: Sendable {
  private struct State {
    var left: Set<OperationKey> = []
    var hasRows = false
    var worst = Ending.delivered
    var waiters = Waiters<Ending>()
  }

  private let state = Locked(State())

  func begin(_ keys: [OperationKey]) {
    state.withLock { state in
      state.left.formUnion(keys)
      state.hasRows = state.hasRows || !keys.isEmpty
    }
  }

  /// Whether there is anything to wait for, or was.
  var hasRows: Bool { state.withLock { $0.hasRows } }

  /// The keys of the rows that have not ended.
  var left: Set<OperationKey> { state.withLock { $0.left } }

  func note(_ key: OperationKey, _ ending: Ending) {
    let (woken, worst) = state.withLock { state -> (WokenTasks<Ending>?, Ending) in
      guard state.left.remove(key) != nil else { return (nil, state.worst) }
      if ending.severity > state.worst.severity { state.worst = ending }
      return (state.left.isEmpty ? state.waiters.removeAll() : nil, state.worst)
    }
    woken?.resume(with: worst)
  }

  /// How the rows ended; of several the worst ending. Nil when the task is cancelled first.
  func ending() async -> Ending? {
    await state.wait(in: \.waiters) { $0.left.isEmpty ? $0.worst : nil }
  }
}

extension Ending {
  /// How bad the ending is for the user.
  fileprivate var severity: Int {
    switch self {
    case .delivered: 0
    case .evicted, .wiped: 1
    case .expired: 2
    case .rejected: 3
    }
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Tells receipts how their rows ended.
///
/// A receipt begins to watch its rows before they are accepted, so no ending can be missed.
final class ReceiptOutcomes: CommitObserver {
  private let watches = Locked<[OperationKey: ReceiptWatch]>([:])

  /// Begins to watch what is about to be accepted.
  func add(_ watch: ReceiptWatch, of intents: [Intent]) {
    watch.begin(intents)
    let keys = watch.left
    watches.withLock { watches in for key in keys { watches[key] = watch } }
  }

  /// Forgets rows that were not accepted after all.
  func remove(_ watch: ReceiptWatch) {
    let keys = watch.left
    watches.withLock { watches in for key in keys { watches[key] = nil } }
  }

  /// The accepted rows that receipts wait for, with their providers.
  var pending: [OperationKey: ProviderID] {
    let watches = watches.withLock(\.self)
    return watches.reduce(into: [:]) { $0[$1.key] = $1.value.acceptedProvider(of: $1.key) }
  }

  /// Ends all waits: nothing more is heard of the rows.
  func close() {
    let watches = watches.withLock { watches in
      defer { watches = [:] }
      return watches.values
    }
    for watch in watches { watch.close() }
  }

  func observe(_ report: CommitReport, of partition: Partition) async { note(report.ended) }

  func note(_ rows: [CommitReport.Ended]) {
    guard !rows.isEmpty else { return }
    let ended = watches.withLock { watches in
      rows.compactMap { row in watches.removeValue(forKey: row.key).map { ($0, row) } }
    }
    for (watch, row) in ended { watch.note(row.key, row.ending) }
  }
}

/// Waits until all rows of an action have ended.
final class ReceiptWatch: Sendable {
  private struct State {
    /// The rows that have not ended, with their providers.
    var left: [OperationKey: ProviderID] = [:]
    var hasRows = false
    var isAccepted = false
    var isClosed = false
    /// The worst ending at each provider so far.
    var endings: [ProviderID: Ending] = [:]
    var waiters = Waiters<Ending?>()

    /// What has no row ends here.
    var worst: Ending { endings.values.max { $0.severity < $1.severity } ?? .kept }

    mutating func note(_ ending: Ending, at provider: ProviderID) {
      let former = endings[provider] ?? ending
      endings[provider] = former.severity > ending.severity ? former : ending
    }
  }

  private let state = Locked(State())

  func begin(_ intents: [Intent]) {
    state.withLock { state in
      for intent in intents {
        for row in intent.deliveries { state.left[row.key] = row.provider }
        if intent.deliveries.isEmpty, let provider = intent.event?.provider {
          state.note(.kept, at: provider)
        }
      }
      state.hasRows = !state.left.isEmpty
    }
  }

  /// Whether there is anything to wait for, or was.
  var hasRows: Bool { state.withLock { $0.hasRows } }

  /// The keys of the rows that have not ended.
  var left: Set<OperationKey> { state.withLock { Set($0.left.keys) } }

  /// The rows are in the cache.
  func noteAccepted() { state.withLock { $0.isAccepted = true } }

  func acceptedProvider(of row: OperationKey) -> ProviderID? {
    state.withLock { $0.isAccepted ? $0.left[row] : nil }
  }

  /// The providers that the action is for.
  var providers: Set<ProviderID> {
    state.withLock { Set($0.left.values).union($0.endings.keys) }
  }

  /// How the rows ended, for the providers that have none left.
  var endings: [ProviderID: Ending] {
    state.withLock { state in
      state.endings.filter { !state.left.values.contains($0.key) }
    }
  }

  func note(_ key: OperationKey, _ ending: Ending) {
    let (woken, worst) = state.withLock { state -> (WokenTasks<Ending?>?, Ending) in
      guard let provider = state.left.removeValue(forKey: key) else { return (nil, state.worst) }
      state.note(ending, at: provider)
      return (state.left.isEmpty ? state.waiters.removeAll() : nil, state.worst)
    }
    woken?.resume(with: worst)
  }

  /// How the rows ended; of several the worst ending. Nil when the task is cancelled or the
  /// engagement is closed first.
  func ending() async -> Ending? {
    let ending: Ending?? = await state.wait(in: \.waiters) { state in
      state.left.isEmpty ? state.worst : state.isClosed ? .some(nil) : nil
    }
    return ending ?? nil
  }

  /// Ends all waits for rows that have not ended.
  func close() {
    let woken = state.withLock { state in
      state.isClosed = true
      return state.waiters.removeAll()
    }
    woken.cancel()
  }
}

extension Ending {
  /// How bad the ending is for the user. What one vendor took is delivered, also if another has no
  /// request for it.
  fileprivate var severity: Int {
    switch self {
    case .kept: 0
    case .delivered: 1
    case .evicted, .wiped: 2
    case .expired: 3
    case .rejected: 4
    }
  }
}

import EngagementStore

/// The batches that were tried, and when each may be tried again. A batch is named by its label,
/// the id of the row whose outcome all its rows share.
struct RetrySchedule: Sendable {
  typealias Label = OutboxRow.ID

  private var states: [Label: RetryState] = [:]
  /// The states of batches whose rows are not admitted to the queue yet.
  private var earlier: [Label: RetryState] = [:]
  /// When batches are due; an entry may be out of date.
  private var due = Heap<DueTime>()
  /// The batches that are due, those with the fewest failures first.
  private var ready = Heap<RetryRank>()

  /// What is known of an admitted batch.
  subscript(label: Label) -> RetryState? { states[label] }

  /// What is known of a batch, admitted or not.
  func state(of label: Label) -> RetryState? { states[label] ?? earlier[label] }

  /// When the next batch is due.
  var nextDue: Duration? { due.least?.time }

  // MARK: Rows

  /// Takes all rows out and keeps what is known of their batches; with labels, of those alone.
  mutating func removeRows(keeping labels: Set<Label>? = nil) {
    earlier.merge(states) { _, newer in newer }
    if let labels { earlier = earlier.filter { labels.contains($0.key) } }
    states = [:]
    due = Heap()
    ready = Heap()
  }

  /// Adds a row that was tried before, now or in an earlier run.
  mutating func add(_ row: OutboxRow) {
    let label = row.label
    var state = states[label] ?? earlier.removeValue(forKey: label)?.withoutRows ?? .unknown
    // An opt-out that was sent ahead of the others is there already.
    if state.rows.last != row.id { state.rows.append(row.id) }
    states[label] = state
    if state.rows.count == 1 { schedule(label) }
  }

  /// The rows cannot be sent from now on, as when their user leaves: the time until they can does not
  /// count. Call it when all rows are taken out.
  mutating func endWaits() {
    for label in earlier.keys { earlier[label]?.lastTried = nil }
  }

  mutating func remove(_ label: Label) {
    states[label] = nil
    earlier[label] = nil
  }

  // MARK: Attempts

  /// The rows are sent now.
  mutating func begin(_ label: Label, _ rows: [OutboxRow.ID], at now: Duration) {
    var state = states[label] ?? earlier.removeValue(forKey: label) ?? RetryState()
    state.rows = rows
    state.lastTried = now
    state.mayHaveArrived = true
    states[label] = state
  }

  /// The attempt failed. It is repeated then.
  mutating func fail(_ label: Label, mayHaveArrived: Bool, until time: Duration) {
    states[label]?.failures += 1
    states[label]?.mayHaveArrived = mayHaveArrived
    delay(label, until: time)
  }

  /// The attempt does not count. It is repeated then.
  mutating func discount(_ label: Label, mayHaveArrived: Bool, until time: Duration) {
    states[label]?.lastTried = nil
    states[label]?.mayHaveArrived = mayHaveArrived
    delay(label, until: time)
  }

  /// Each row of the batch is a batch of its own from now on.
  mutating func split(_ label: Label, into rows: [OutboxRow], at now: Duration) {
    let former = states.removeValue(forKey: label)
    for row in rows {
      states[row.label] = RetryState(rows: [row.id], nextTry: now, lastTried: former?.lastTried)
      due.insert(DueTime(time: now, label: row.label))
    }
  }

  /// All batches are due now.
  mutating func hasten(to now: Duration) {
    for label in earlier.keys { earlier[label]?.nextTry = now }
    for label in states.keys { delay(label, until: now) }
  }

  private mutating func delay(_ label: Label, until time: Duration) {
    guard states[label] != nil else { return }
    states[label]?.nextTry = time
    due.insert(DueTime(time: time, label: label))
  }

  // MARK: Turns

  /// Looks at the batch when it is due.
  mutating func schedule(_ label: Label) {
    guard let state = states[label] else { return }
    due.insert(DueTime(time: state.nextTry, label: label))
  }

  /// Makes ready what is due.
  mutating func advance(to now: Duration) {
    while let next = due.least, next.time <= now {
      _ = due.pop()
      guard let state = states[next.label], state.nextTry <= now else { continue }
      ready.insert(RetryRank(failures: state.failures, label: next.label))
    }
  }

  /// Takes the next batch that is ready.
  mutating func pop(at now: Duration) -> (label: Label, state: RetryState)? {
    while let next = ready.pop() {
      guard let state = states[next.label], state.nextTry <= now else { continue }
      return (next.label, state)
    }
    return nil
  }
}

/// What is known of a batch that was tried.
struct RetryState: Sendable {
  var rows: [OutboxRow.ID] = []
  var failures = 0
  var nextTry = Duration.zero
  /// When it was last tried; nil while that does not count, and for a try of an earlier run.
  var lastTried: Duration?
  /// Whether the last try may have had an effect at the vendor.
  var mayHaveArrived = false

  /// Of an earlier run, which may have been killed while it waited for the answer.
  static let unknown = RetryState(mayHaveArrived: true)

  fileprivate var withoutRows: RetryState {
    var state = self
    state.rows = []
    return state
  }
}

private struct DueTime: Comparable, Sendable {
  var time: Duration
  var label: OutboxRow.ID

  static func < (left: DueTime, right: DueTime) -> Bool {
    (left.time, left.label) < (right.time, right.label)
  }
}

private struct RetryRank: Comparable, Sendable {
  var failures: Int
  var label: OutboxRow.ID

  static func < (left: RetryRank, right: RetryRank) -> Bool {
    (left.failures, left.label) < (right.failures, right.label)
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// What goes out next to one provider for one user. It decides, and knows of no store, network or
/// clock: all times are uptimes that it is told.
///
/// - Rows about one entity go in their order. A row that waits for another try blocks its entity
///   and no other.
/// - A row that changes whom the vendor speaks with is a barrier: it goes when all before it are
///   gone, and what comes after waits for it.
/// - What was never tried goes before what failed, and what failed less often before what failed
///   more often: nothing poisonous holds up anything else.
/// - A batch has the same members in every attempt.
/// - One parcel is under way at a time, and after a failure not more than 12 in a minute.
struct Lane: Sendable {
  /// How many rows are read beyond those that are still open.
  static let window = 1_000
  /// How far apart the first and the last row of a batch may be. Rows between them only ever go
  /// away, so of a window all batches are whole that begin this far before its end.
  static let span = 500
  /// The least time between two attempts in an outage.
  static let gap = Duration.seconds(5)
  /// How long nothing is tried when it is the application's turn: a credential, a consent.
  static let pause = Duration.seconds(60)

  /// What to do next.
  enum Move: Sendable {
    /// Read so many rows, and `load` them.
    case read(limit: Int)
    /// Tell the store that the parcel is about to be tried, then `begin`, send, and `end` it.
    case send(Parcel)
    /// These rows are over.
    case end([(row: OutboxRow.ID, ending: Ending)])
    /// Nothing before then; nil for nothing before there is something new.
    case rest(until: Duration?)
  }

  let capabilities: AdapterCapabilities

  var shelf = LaneShelf()
  /// Parcels that were tried, with what is known of them.
  var trials: [OutboxRow.ID: Trial] = [:]
  /// The same of rows that are not admitted yet.
  var memory: [OutboxRow.ID: Trial] = [:]
  /// When trials are due, and those that are.
  var due = Heap<Timed>()
  var ready = Heap<Ranked>()
  /// Rows that were never tried and that nothing of their entity holds up.
  var fresh = Heap<OutboxRow.ID>()
  var freshEvents: [String: Heap<OutboxRow.ID>] = [:]

  /// Verbs that may not go now.
  var muted: [Operation.Verb: Mute] = [:]
  /// Until when the vendor wants to be left alone.
  var quietUntil: Duration?
  /// Until when it is the application's turn.
  var pausedUntil: Duration?
  /// Until when an opt-out goes past what consent holds up.
  var consentUntil: Duration?
  /// Whether the last answer was none.
  var isFailing = false
  private(set) var lastAttempt: Duration?
  /// Whether something may have changed since the last attempt began.
  private(set) var isWoken = false
  private var isStale = true

  init(_ capabilities: AdapterCapabilities) { self.capabilities = capabilities }

  // MARK: News

  /// Rows were added or went away.
  mutating func spoil() { isStale = true }

  /// Something may have changed: rows, the credential, the consent.
  mutating func wake() {
    isStale = true
    isWoken = true
    pausedUntil = nil
    consentUntil = nil
    muted = muted.filter { !$0.value.isByConsent }
  }

  /// Lets go of the rows, not of what is known of them.
  mutating func unload() { load([], isWhole: true, forgetting: false) }

  /// Whether the key is of a row that is waited for here.
  func has(_ key: OperationKey) -> Bool { shelf.keys[key] != nil }

  /// Takes what was read, in its order; whole when there is nothing beyond.
  mutating func load(_ rows: [OutboxRow], isWhole: Bool) {
    load(rows, isWhole: isWhole, forgetting: true)
    isStale = false
  }

  private mutating func load(_ rows: [OutboxRow], isWhole: Bool, forgetting: Bool) {
    memory.merge(trials) { _, newer in newer }
    if forgetting {
      let labels = Set(rows.map(\.label))
      memory = memory.filter { labels.contains($0.key) }
    }
    shelf = LaneShelf(rows, isWhole: isWhole)
    (trials, due, ready) = ([:], Heap(), Heap())
    (fresh, freshEvents) = (Heap(), [:])
    muted = muted.mapValues(\.empty)
    isStale = !forgetting
  }

  // MARK: What comes next

  mutating func next(at now: Duration) -> Move {
    if let end = restEnd(at: now) { return .rest(until: end) }
    if isStale { return read() }
    if let end = consentUntil, end > now, let move = nextOptOut(at: now) { return move }
    admit()
    lift(at: now)
    if let parcel = takeFresh(at: now) { return .send(parcel) }
    if shelf.wantsMore { return read() }
    if let move = takeTried(at: now) { return move }
    return .rest(until: wakeTime)
  }

  /// The parcel is durably noted as tried and leaves now.
  mutating func begin(_ parcel: Parcel, at now: Duration) {
    lastAttempt = now
    isWoken = false
    let rows = parcel.rows.map { $0.begun(as: parcel) }
    for row in rows { shelf.rows[row.id] = row }
    var trial = trials[parcel.label] ?? memory.removeValue(forKey: parcel.label) ?? Trial()
    trial.rows = rows.map(\.id)
    trial.lastTried = now
    trial.mayHaveArrived = true
    trials[parcel.label] = trial
  }

  private mutating func read() -> Move {
    // Before the store is asked, so that what is added meanwhile is read again.
    isStale = false
    return .read(limit: shelf.open + Self.window)
  }

  /// When the whole lane may go on; nil for now.
  private func restEnd(at now: Duration) -> Duration? {
    var ends = [quietUntil, pausedUntil].compactMap { $0 }
    if isFailing, let lastAttempt { ends.append(lastAttempt + Self.gap) }
    return ends.max().flatMap { $0 > now ? $0 : nil }
  }

  /// When something that waits may go.
  private var wakeTime: Duration? {
    let ends = muted.values.filter { !$0.rows.isEmpty || !$0.trials.isEmpty }.map(\.until)
    return (ends + [due.least?.time].compactMap { $0 }).min()
  }
}

extension Lane {
  /// A verb that may not go now, and what waits with it.
  struct Mute: Sendable {
    var until: Duration
    /// Whether it is the user who does not want it, rather than the vendor.
    var isByConsent = false
    var rows: [OutboxRow.ID] = []
    var trials: [OutboxRow.ID] = []

    /// The same with nothing waiting.
    var empty: Mute { Mute(until: until, isByConsent: isByConsent) }
  }

  /// What is known of a parcel that was tried.
  struct Trial: Sendable {
    var rows: [OutboxRow.ID] = []
    var failures = 0
    var nextTry = Duration.zero
    /// When the last try was, while the vendor is waited for; nil where nobody is, or where it
    /// was in an earlier run.
    var lastTried: Duration?
    /// Whether nobody knows that the last try had no effect.
    var mayHaveArrived = false

    /// Of an earlier run, which may have been killed while it waited for the answer.
    static let unknown = Trial(mayHaveArrived: true)

    /// What is known, of rows yet to be found again.
    var empty: Trial {
      var trial = self
      trial.rows = []
      return trial
    }
  }

  /// When a trial is due.
  struct Timed: Comparable, Sendable {
    var time: Duration
    var label: OutboxRow.ID

    static func < (left: Timed, right: Timed) -> Bool {
      (left.time, left.label) < (right.time, right.label)
    }
  }

  /// A trial's turn.
  struct Ranked: Comparable, Sendable {
    var failures: Int
    var label: OutboxRow.ID

    static func < (left: Ranked, right: Ranked) -> Bool {
      (left.failures, left.label) < (right.failures, right.label)
    }
  }
}

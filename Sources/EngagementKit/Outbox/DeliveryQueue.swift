import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Chooses the next batch for one provider and user. It knows no store, network or clock: all times
/// are uptimes that it is told.
///
/// - Rows about one item go in their order. A row that waits for another try blocks its item and no
///   other.
/// - A row that changes the user at the vendor is a barrier: it is sent when all rows before it
///   have ended, and later rows wait for it.
/// - Rows that were never tried go before rows that failed, and rows that failed less often before
///   rows that failed more often: a row that always fails holds up no other item.
/// - A batch has the same members in every attempt.
/// - One batch is in flight at a time, and after a failure there are at most 12 attempts a minute.
struct DeliveryQueue: Sendable {
  /// How many rows are read beyond those that are still open.
  static let window = 1_000
  /// How far apart the first and the last row of a batch may be. Rows between them only ever end,
  /// so all batches are whole that begin this far before the end of a window.
  static let span = 500
  /// The least time between two attempts in an outage.
  static let gap = Duration.seconds(5)
  /// How long nothing is tried while the application has to act: a credential, a consent.
  static let pause = Duration.seconds(60)

  /// A verb that may not be sent now, and the rows that wait for it.
  private struct Suspension: Sendable {
    var until: Duration
    /// Whether the user's consent forbids it, rather than the vendor.
    var isByConsent = false
    var rows: [OutboxRow.ID] = []
    var retries: [RetrySchedule.Label] = []
  }

  private let capabilities: AdapterCapabilities
  private var queued = QueuedRows()
  private var retries = RetrySchedule()
  private var fresh = FreshRows()

  private var suspensions: [Operation.Verb: Suspension] = [:]
  /// Until when the vendor asked for a pause.
  private var quietUntil: Duration?
  /// Until when the application has to act.
  private var pausedUntil: Duration?
  /// Until when a withdrawal is sent ahead of rows that consent holds up.
  private var consentUntil: Duration?
  /// Whether the last attempt got no answer.
  private var isFailing = false
  private var lastAttempt: Duration?
  /// Whether something may have changed since the last attempt began.
  private var isWoken = false
  /// Whether the rows have to be read again.
  private var isStale = true

  init(_ capabilities: AdapterCapabilities) { self.capabilities = capabilities }

  private var batching: EventBatching { capabilities.batching }

  // MARK: News

  /// Rows were added or have ended.
  mutating func invalidate() { isStale = true }

  /// Rows, the credential or the consent may have changed.
  mutating func wake() {
    isStale = true
    isWoken = true
    pausedUntil = nil
    consentUntil = nil
    suspensions = suspensions.filter { !$0.value.isByConsent }
  }

  /// Nothing waits for a time any more.
  mutating func endPauses(at now: Duration) {
    wake()
    quietUntil = nil
    isFailing = false
    for verb in suspensions.keys { suspensions[verb]?.until = now }
    retries.hasten(to: now)
  }

  /// Drops the rows and keeps what is known of their attempts.
  mutating func unload() {
    retries.removeRows()
    retries.endWaits()
    replaceRows([], isWhole: true)
    isStale = true
  }

  /// Whether a row with the key waits here.
  func has(_ key: OperationKey) -> Bool { queued.keys[key] != nil }

  /// Takes the rows that were read, in their order. They are whole if there are no more. What was
  /// accepted during the reading is read by the next one.
  mutating func load(_ rows: [OutboxRow], isWhole: Bool) {
    retries.removeRows(keeping: Set(rows.map(\.label)))
    replaceRows(rows, isWhole: isWhole)
  }

  private mutating func replaceRows(_ rows: [OutboxRow], isWhole: Bool) {
    queued = QueuedRows(rows, isWhole: isWhole)
    fresh = FreshRows()
    suspensions = suspensions.mapValues {
      Suspension(until: $0.until, isByConsent: $0.isByConsent)
    }
  }

  // MARK: Next

  mutating func next(at now: Duration) -> Move {
    if let end = restEnd(at: now) { return .rest(until: end) }
    if isStale { return read() }
    if let end = consentUntil, end > now, let move = nextWithdrawal(at: now) {
      return move
    }
    admit()
    endSuspensions(at: now)
    retries.advance(to: now)
    if let batch = takeFresh() { return .send(batch) }
    if queued.wantsMore { return read() }
    if let move = takeRetry(at: now) { return move }
    return .rest(until: wakeTime)
  }

  /// The batch is durably noted as tried and is sent now.
  mutating func begin(_ batch: OutboxBatch, at now: Duration) {
    lastAttempt = now
    isWoken = false
    let rows = batch.rows.map { $0.begun(as: batch) }
    for row in rows { queued.rows[row.id] = row }
    retries.begin(batch.label, rows.map(\.id), at: now)
  }

  private mutating func read() -> Move {
    // Before the store is asked, so that rows that are added meanwhile are read again.
    isStale = false
    return .read(limit: queued.open + Self.window)
  }

  /// When the whole queue may go on; nil for now.
  private func restEnd(at now: Duration) -> Duration? {
    var ends = [quietUntil, pausedUntil].compactMap { $0 }
    if isFailing, let lastAttempt { ends.append(lastAttempt + Self.gap) }
    return ends.max().flatMap { $0 > now ? $0 : nil }
  }

  /// When something that waits may be sent.
  private var wakeTime: Duration? {
    let ends = suspensions.values.filter { !$0.rows.isEmpty || !$0.retries.isEmpty }.map(\.until)
    return (ends + [retries.nextDue].compactMap { $0 }).min()
  }

  private mutating func admit() {
    while let row = queued.admit(batching) {
      if row.isTried { retries.add(row) } else if queued.isHead(row, batching) { offer(row) }
    }
  }

  private mutating func endSuspensions(at now: Duration) {
    for (verb, suspension) in suspensions where suspension.until <= now {
      suspensions[verb] = nil
      for row in suspension.rows.compactMap({ queued.rows[$0] }) { offer(row) }
      for label in suspension.retries { retries.schedule(label) }
    }
  }

  /// Takes a row that no earlier row of its item holds up any more.
  private mutating func offer(_ row: OutboxRow) {
    guard !row.isTried else { return retries.schedule(row.label) }
    fresh.insert(row, batching)
  }

  // MARK: Rows that were never tried

  private mutating func takeFresh() -> OutboxBatch? {
    while let id = fresh.pop() {
      guard let row = queued.rows[id], !row.isTried, queued.isHead(row, batching) else { continue }
      guard suspensions[row.verb] == nil else {
        suspensions[row.verb]?.rows.append(id)
        continue
      }
      return OutboxBatch(rows: fresh.batch(from: row, in: queued, batching), waited: .zero)
    }
    return nil
  }

  // MARK: Rows that were tried before

  private mutating func takeRetry(at now: Duration) -> Move? {
    while let (label, state) = retries.pop(at: now) {
      let rows = state.rows.compactMap { queued.rows[$0] }
      guard let first = rows.first, queued.isHead(first, batching) else { continue }
      if let ending = ending(of: state, first, at: now) {
        let ids = rows.map(\.id)
        remove(ids)
        return .end(ids.map { ($0, ending) })
      }
      guard suspensions[first.verb] == nil else {
        suspensions[first.verb]?.retries.append(label)
        continue
      }
      return .send(OutboxBatch(rows: rows, waited: Self.waited(of: state, at: now)))
    }
    return nil
  }

  /// A withdrawal is sent ahead of everything that consent holds up; nil if none waits.
  private func nextWithdrawal(at now: Duration) -> Move? {
    guard let row = queued.firstWithdrawal(capabilities, without: Set(suspensions.keys))
    else {
      return queued.isWhole ? nil : .read(limit: queued.larger)
    }
    guard let state = retries.state(of: row.label) else {
      return .send(OutboxBatch(rows: [row], waited: .zero))
    }
    guard state.nextTry <= now else { return nil }
    return .send(OutboxBatch(rows: [row], waited: Self.waited(of: state, at: now)))
  }

  /// How the batch ends without another try; nil if it is tried again.
  private func ending(
    of state: RetryState, _ first: OutboxRow, at now: Duration
  ) -> Ending? {
    if first.waited + Self.waited(of: state, at: now) >= capabilities.retryHorizon {
      return .expired
    }
    guard state.mayHaveArrived, !isRepeatable(first.verb) else { return nil }
    return .rejected(
      EngagementError(
        .unavailable, "It may have arrived, and must not arrive twice.", provider: first.provider,
        operation: first.verb.rawValue))
  }

  /// Whether the verb may be sent again when the last try may have arrived.
  private func isRepeatable(_ verb: Operation.Verb) -> Bool {
    capabilities.ability(verb).isRetryable
  }

  private static func waited(of state: RetryState, at now: Duration) -> Duration {
    state.lastTried.map { now - $0 } ?? .zero
  }

  private mutating func remove(_ ids: [OutboxRow.ID]) {
    for id in ids {
      guard let row = queued.rows[id] else { continue }
      retries.remove(row.label)
      if let next = queued.remove(id, batching) { offer(next) }
    }
  }

  // MARK: Outcomes

  /// Takes in how an attempt ended.
  mutating func end(
    _ batch: OutboxBatch, _ outcome: OperationRunner.Outcome, at now: Now
  ) -> Settlement {
    switch outcome {
    case .done: return close(batch) { _ in .delivered }
    case .partly(let rejected): return close(batch) { Self.ending(of: $0, rejected) }
    case .wait(let date):
      // The whole verb waits, so other rows with it are not tried in vain. A pause that has ended
      // since the attempt began holds nothing up.
      if !isWoken {
        suspensions[batch.verb] = Suspension(
          until: now.uptime + Self.wait(from: now.date, until: date))
      }
      return discount(batch, at: now)
    case .retry(let error): return retry(batch, error, at: now)
    case .refused(let error):
      return error.code.isOfThisMachine
        ? retry(batch, error, at: now) : refuse(batch, error, at: now)
    case .cancelled(_, let wasSent):
      if !wasSent, !batch.rows[0].isTried { return takeBack(batch) }
      return discount(batch, at: now, mayHaveArrived: wasSent)
    }
  }

  /// The vendor has answered; the rows are not tried again.
  private mutating func close(
    _ batch: OutboxBatch, _ ending: (OutboxRow) -> Ending
  ) -> Settlement {
    isFailing = false
    remove(batch.rows.map(\.id))
    return .end(batch.rows.map { ($0.id, ending($0)) })
  }

  private static func ending(of row: OutboxRow, _ rejected: [EventID: String]) -> Ending {
    guard let event = row.event, let reason = rejected[event.id] else { return .delivered }
    return .rejected(
      EngagementError(
        .invalidArgument, reason, provider: row.provider, operation: row.verb.rawValue))
  }

  /// Wall clocks jump: never longer than a minute at a time.
  private static func wait(from now: Date, until date: Date) -> Duration {
    let seconds = date.timeIntervalSince(now)
    if seconds >= 60 { return .seconds(60) }
    return seconds > 1 ? .seconds(seconds) : .seconds(1)
  }

  /// The attempt does not count; the batch may be tried again at once.
  private mutating func discount(
    _ batch: OutboxBatch, at now: Now, mayHaveArrived: Bool = false
  ) -> Settlement {
    retries.discount(batch.label, mayHaveArrived: mayHaveArrived, until: now.uptime)
    return .keep
  }

  private mutating func retry(
    _ batch: OutboxBatch, _ error: EngagementError, at now: Now
  ) -> Settlement {
    isFailing = true
    let asked = error.retryAfter
    if error.code == .rateLimited, let asked {
      // The vendor asks the client for a pause, not this batch.
      quietUntil = now.uptime + Backoff.clamped(asked)
    }
    let mayHaveArrived = !Self.isUnheard(error)
    guard isRepeatable(batch.verb) || !mayHaveArrived else {
      let rejected = close(batch) { _ in .rejected(error) }
      isFailing = true
      return rejected
    }
    let state = retries[batch.label]
    let delay = Backoff.delay(
      after: (state?.failures ?? 0) + 1, asked: asked, random: now.random)
    let horizon =
      (state?.lastTried ?? .zero) + capabilities.retryHorizon - batch.rows[0].waited - batch.waited
    retries.fail(
      batch.label, mayHaveArrived: mayHaveArrived, until: min(now.uptime + delay, horizon))
    return .keep
  }

  /// Whether the vendor has done nothing: it said so, or this machine's disk failed before the
  /// request was sent.
  private static func isUnheard(_ error: EngagementError) -> Bool {
    error.code == .rateLimited || error.code == .busy || error.code.isOfThisMachine
  }

  private mutating func refuse(
    _ batch: OutboxBatch, _ error: EngagementError, at now: Now
  ) -> Settlement {
    switch error.code {
    case .unauthenticated, .signedOut:
      if error.code == .unauthenticated { isFailing = true }
      // A credential may have arrived during the attempt.
      if !isWoken { pausedUntil = now.uptime + Self.pause }
      return discount(batch, at: now)
    case .consentDenied:
      if !isWoken {
        let end = now.uptime + Self.pause
        consentUntil = end
        suspensions[batch.verb] = Suspension(until: end, isByConsent: true)
      }
      return discount(batch, at: now)
    default:
      if batch.rows.count > 1, error.code != .unsupported { return split(batch, at: now) }
      return close(batch) { _ in .rejected(error) }
    }
  }

  /// The batch was not tried. The store is told so too: a later run knows nothing else.
  private mutating func takeBack(_ batch: OutboxBatch) -> Settlement {
    retries.remove(batch.label)
    isStale = true
    return .takeBack(batch.rows.map(\.id))
  }

  /// The vendor refused all rows because of some: each is tried alone.
  private mutating func split(_ batch: OutboxBatch, at now: Now) -> Settlement {
    isFailing = false
    let rows = batch.rows.compactMap { queued.rows[$0.id]?.alone }
    for row in rows { queued.rows[row.id] = row }
    retries.split(batch.label, into: rows, at: now.uptime)
    return .split(batch.label)
  }
}

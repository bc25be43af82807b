import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import FoundationEssentials

extension Lane {
  /// What the store has to be told of an attempt.
  enum Settlement: Sendable {
    case end([(row: OutboxRow.ID, ending: Ending)])
    /// Every row of the batch is tried alone from now on.
    case split(OutboxRow.ID)
    /// These rows were not tried after all: nothing of them left.
    case takeBack([OutboxRow.ID])
    /// Nothing: it is tried again.
    case keep
  }

  /// When what came of an attempt is known.
  struct Moment: Sendable {
    /// By the clock that never jumps.
    var uptime: Duration
    /// By the clock on the wall, which vendors speak of.
    var date: Date
    /// 64 random bits.
    var random: UInt64
  }

  /// Takes in what came of the parcel.
  mutating func end(
    _ parcel: Parcel, _ outcome: Exchange.Outcome, at moment: Moment
  ) -> Settlement {
    switch outcome {
    case .done: return close(parcel) { _ in .delivered }
    case .partly(let rejected): return close(parcel) { Self.ending(of: $0, rejected) }
    case .wait(let date): return hold(parcel, until: date, at: moment)
    case .retry(let error): return retry(parcel, error, at: moment)
    case .refused(let error):
      return error.code.isOfThisMachine
        ? retry(parcel, error, at: moment) : refuse(parcel, error, at: moment)
    }
  }

  /// The vendor has answered for good.
  private mutating func close(
    _ parcel: Parcel, _ ending: (OutboxRow) -> Ending
  ) -> Settlement {
    isFailing = false
    remove(parcel.rows.map(\.id))
    return .end(parcel.rows.map { ($0.id, ending($0)) })
  }

  private static func ending(of row: OutboxRow, _ rejected: [EventID: String]) -> Ending {
    guard let event = row.event, let reason = rejected[event.id] else { return .delivered }
    return .rejected(
      EngagementError(
        .invalidArgument, reason, provider: row.provider, operation: row.verb.text))
  }

  /// Nothing was sent. What waits is a verb and not a row, so others are not tried in vain.
  private mutating func hold(_ parcel: Parcel, until date: Date, at moment: Moment) -> Settlement {
    muted[parcel.verb] = Mute(until: moment.uptime + Self.wait(from: moment.date, until: date))
    keep(parcel, until: moment.uptime)
    return .keep
  }

  /// Wall clocks jump: never longer than a minute at a time.
  private static func wait(from now: Date, until date: Date) -> Duration {
    let seconds = date.timeIntervalSince(now)
    if seconds >= 60 { return .seconds(60) }
    return seconds > 1 ? .seconds(seconds) : .seconds(1)
  }

  /// The row stays as if nothing had been tried.
  private mutating func keep(_ parcel: Parcel, until time: Duration, mayHaveArrived: Bool = false) {
    trials[parcel.label]?.lastTried = nil
    trials[parcel.label]?.mayHaveArrived = mayHaveArrived
    delay(parcel.label, until: time)
  }

  private mutating func retry(
    _ parcel: Parcel, _ error: EngagementError, at moment: Moment
  ) -> Settlement {
    isFailing = true
    let asked = error.retryAfter
    if error.code == .rateLimited, let asked {
      // The vendor speaks of whoever calls and not of this parcel.
      quietUntil = moment.uptime + Backoff.clamped(asked)
    }
    let mayHaveArrived = !Self.isUnheard(error)
    guard isRepeatable(parcel.verb) || !mayHaveArrived else {
      let rejected = close(parcel) { _ in .rejected(error) }
      isFailing = true
      return rejected
    }
    let failures = (trials[parcel.label]?.failures ?? 0) + 1
    trials[parcel.label]?.failures = failures
    trials[parcel.label]?.mayHaveArrived = mayHaveArrived
    let delay = Backoff.delay(after: failures, asked: asked, random: moment.random)
    self.delay(parcel.label, until: min(moment.uptime + delay, horizon(of: parcel)))
    return .keep
  }

  /// Whether the vendor is known to have done nothing: it said so, or this machine's disk failed
  /// before anything was sent.
  private static func isUnheard(_ error: EngagementError) -> Bool {
    error.code == .rateLimited || error.code == .busy || error.code.isOfThisMachine
  }

  /// When the parcel has been tried for as long as it is worth.
  private func horizon(of parcel: Parcel) -> Duration {
    let began = trials[parcel.label]?.lastTried ?? .zero
    return began + capabilities.retryHorizon - parcel.rows[0].waited - parcel.waited
  }

  private mutating func refuse(
    _ parcel: Parcel, _ error: EngagementError, at moment: Moment
  ) -> Settlement {
    switch error.code {
    case .cancelled where error.isUnsent && !parcel.rows[0].isTried: return takeBack(parcel)
    case .cancelled:
      keep(parcel, until: moment.uptime, mayHaveArrived: !error.isUnsent)
      return .keep
    case .unauthenticated, .signedOut:
      if error.code == .unauthenticated { isFailing = true }
      keep(parcel, until: moment.uptime)
      // What this attempt was refused for may be there by now.
      if !isWoken { pausedUntil = moment.uptime + Self.pause }
      return .keep
    case .consentDenied:
      keep(parcel, until: moment.uptime)
      guard !isWoken else { return .keep }
      let end = moment.uptime + Self.pause
      (consentUntil, muted[parcel.verb]) = (end, Mute(until: end, isByConsent: true))
      return .keep
    default:
      if parcel.rows.count > 1, error.code != .unsupported { return split(parcel, at: moment) }
      return close(parcel) { _ in .rejected(error) }
    }
  }

  /// As it was before: what is durable says so too, since a later run knows nothing else.
  private mutating func takeBack(_ parcel: Parcel) -> Settlement {
    (trials[parcel.label], memory[parcel.label]) = (nil, nil)
    spoil()
    return .takeBack(parcel.rows.map(\.id))
  }

  /// The vendor refused all for the sake of some: each goes alone.
  private mutating func split(_ parcel: Parcel, at moment: Moment) -> Settlement {
    isFailing = false
    let former = trials.removeValue(forKey: parcel.label)
    for row in parcel.rows {
      guard let alone = shelf.rows[row.id]?.alone else { continue }
      shelf.rows[row.id] = alone
      trials[alone.label] = Trial(
        rows: [row.id], nextTry: moment.uptime, lastTried: former?.lastTried)
      due.insert(Timed(time: moment.uptime, label: alone.label))
    }
    return .split(parcel.label)
  }
}

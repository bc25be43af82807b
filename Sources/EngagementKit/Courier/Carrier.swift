import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Carries what one lane gives, one parcel at a time, whoever asks it to.
final class Carrier: Sendable {
  /// The road to the vendor.
  typealias Road = @Sendable (Operation, Attempt) async -> Exchange.Outcome

  /// What a step came to.
  enum Pace: Equatable, Sendable {
    case moved
    /// Nothing before then; nil for nothing before the bell.
    case rest(until: Duration?)
    /// Another is at it: the bell rings when it is done.
    case busy
  }

  /// How many rows ended here so far.
  struct Counts: Sendable {
    var delivered = 0
    var refused = 0
  }

  let bell = Bell()
  let partition: Partition
  private let provider: ProviderID
  private let house: House
  private let road: Road
  private let underway: Underway
  private let state: Locked<State>

  private struct State {
    var lane: Lane
    var isTaken = false
    var isAskedFor = false
    /// Endings that are known and not durable yet.
    var unsettled: [(row: OutboxRow.ID, ending: Ending)] = []
    var counts = Counts()
  }

  init(
    _ provider: Provider, of partition: Partition, in house: House, underway: Underway,
    by road: @escaping Road
  ) {
    self.provider = provider.id
    self.partition = partition
    self.house = house
    self.underway = underway
    self.road = road
    state = Locked(State(lane: Lane(provider.adapter.capabilities)))
  }

  var counts: Counts { state.withLock { $0.counts } }

  // MARK: News

  /// Something may have changed: rows, the credential, the consent.
  func wake() {
    state.withLock { $0.lane.wake() }
    bell.ring()
  }

  /// Hears of a commit that is not its own.
  func hear(of report: CommitReport, in partition: Partition) {
    let concerns = state.withLock { state in
      let concerns =
        report.hasNewRows && partition.id == self.partition.id
        || report.ended.contains { state.lane.has($0.key) }
      if concerns { state.lane.spoil() }
      return concerns
    }
    if concerns { bell.ring() }
  }

  /// Lets go of the rows while nobody needs them.
  func unload() { state.withLock { if !$0.isTaken { $0.lane.unload() } } }

  // MARK: One step

  /// Does the next thing there is to do, unless another is at it.
  func step() async -> Pace {
    guard takeTurn() else { return .busy }
    defer { leaveTurn() }
    do throws(EngagementError) {
      try await settle([])
      switch state.withLock({ $0.lane.next(at: house.clock.uptime) }) {
      case .read(let limit): try await read(limit)
      case .end(let endings): try await settle(endings)
      case .send(let parcel): return try await send(parcel)
      case .rest(let end): return .rest(until: end)
      }
      return .moved
    } catch {
      // The store will be asked everything again.
      state.withLock { $0.lane.spoil() }
      house.log(.warning, "The outbox can't be worked on: \(error.code).", provider)
      return .rest(until: house.clock.uptime + Courier.patience)
    }
  }

  private func read(_ limit: Int) async throws(EngagementError) {
    let rows = try await house.store.pending(for: provider, in: partition, limit: limit)
    state.withLock { $0.lane.load(rows, isWhole: rows.count < limit) }
  }

  private func send(_ parcel: Parcel) async throws(EngagementError) -> Pace {
    let ids = parcel.rows.map(\.id)
    guard underway.begin(ids) else {
      state.withLock { $0.lane.spoil() }
      return .rest(until: house.clock.uptime + Backoff.shortest)
    }
    defer { underway.end(ids) }
    let present = house.occupancy.present
    try await house.store.begin(
      ids, as: parcel.batch, called: parcel.batch == nil ? nil : parcel.key, waited: parcel.waited)
    state.withLock { $0.lane.begin(parcel, at: house.clock.uptime) }
    let attempt = parcel.attempt(
      by: partition.user, in: present.partition == partition ? present.generation : nil)
    house.log(
      .verbose, "Sends \(parcel.verb), \(parcel.rows.count) of it, try \(attempt.number).", provider
    )
    let outcome = await road(parcel.operation, attempt)
    log(outcome, of: parcel)
    try await close(parcel, outcome)
    return .moved
  }

  private func close(
    _ parcel: Parcel, _ outcome: Exchange.Outcome
  ) async throws(EngagementError) {
    let moment = Lane.Moment(
      uptime: house.clock.uptime, date: house.clock.now, random: house.random())
    switch state.withLock({ $0.lane.end(parcel, outcome, at: moment) }) {
    case .keep: break
    case .split(let batch): try await house.store.split(batch)
    case .takeBack(let rows): try await house.store.takeBack(rows)
    case .end(let endings): try await settle(endings)
    }
  }

  /// Makes endings durable, those first that could not be made so before: what a vendor took must
  /// not go there again.
  private func settle(
    _ endings: [(row: OutboxRow.ID, ending: Ending)]
  ) async throws(EngagementError) {
    let all = state.withLock { state in
      state.unsettled += endings
      return state.unsettled
    }
    guard !all.isEmpty else { return }
    let report = try await house.store.settle(all, at: house.clock.now)
    state.withLock { state in
      state.unsettled = []
      state.counts.add(report.ended)
    }
    await house.bulletin.post(report, of: partition)
  }

  // MARK: Turns

  private func takeTurn() -> Bool {
    state.withLock { state in
      state.isAskedFor = state.isTaken
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// The bell rings only for those who were turned away, or a lane would wake itself for ever.
  private func leaveTurn() {
    let isAskedFor = state.withLock { state in
      state.isTaken = false
      return state.isAskedFor
    }
    if isAskedFor { bell.ring() }
  }

  // MARK: Lines

  private func log(_ outcome: Exchange.Outcome, of parcel: Parcel) {
    let verb = parcel.verb
    switch outcome {
    case .done: house.log(.info, "Delivered \(verb), \(parcel.rows.count) of it.", provider)
    case .partly(let rejected):
      house.log(.info, "Delivered \(verb); \(rejected.count) of it were refused.", provider)
    case .wait: house.log(.verbose, "The vendor wants no \(verb) now.", provider)
    case .retry(let error): house.log(.info, "\(verb) failed for now: \(error.code).", provider)
    case .refused(let error): house.log(.info, "\(verb) was refused: \(error.code).", provider)
    }
  }
}

extension Carrier.Counts {
  fileprivate mutating func add(_ ended: [CommitReport.Ended]) {
    for ended in ended {
      switch ended.ending {
      case .delivered: delivered += 1
      case .rejected: refused += 1
      case .expired, .evicted, .wiped: break
      }
    }
  }
}

/// The rows that are on their way: one that a user took over from an anonymous one must not go out
/// a second time before the first is back.
final class Underway: Sendable {
  private let rows = Locked<Set<OutboxRow.ID>>([])

  /// Whether none of them was on its way.
  func begin(_ ids: [OutboxRow.ID]) -> Bool {
    rows.withLock { rows in
      guard rows.isDisjoint(with: ids) else { return false }
      rows.formUnion(ids)
      return true
    }
  }

  func end(_ ids: [OutboxRow.ID]) { rows.withLock { $0.subtract(ids) } }
}

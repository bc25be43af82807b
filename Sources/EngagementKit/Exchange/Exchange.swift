public import EngagementAdapterAPI
import EngagementHTTP
public import EngagementModel
public import FoundationEssentials

/// The one road between an operation and its vendor, for one provider.
///
/// It asks the adapter for steps until the operation is settled: prerequisites first, each step's
/// changes committed before the next, so that a failure half-way loses nothing. A vendor's word
/// outlives a disk that fails: nothing is sent again whose answer has come. Prerequisites and
/// renewals are single-flight: ten operations that find no device register one.
public final class Exchange: Sendable {
  private let adapter: any EngagementAdapter
  private let house: any ExchangeHouse
  private let unkept: UnkeptAnswers
  let flights = SingleFlight<Preparation, Outcome>()

  public init(_ adapter: any EngagementAdapter, in house: any ExchangeHouse) {
    self.adapter = adapter
    self.house = house
    unkept = UnkeptAnswers(of: house)
  }

  /// How an operation ended.
  public enum Outcome: Hashable, Sendable {
    case done
    /// Done, but for these events.
    case partly(rejected: [EventID: String])
    /// Not before then; nothing was sent.
    case wait(until: Date)
    /// It may work later, not before the error's `retryAfter`; nothing is known to have arrived.
    case retry(EngagementError)
    /// It will not work.
    case refused(EngagementError)
  }

  /// Carries the operation to its vendor and commits what comes back.
  ///
  /// What others may need first, such as registering the device, is single-flight also when it is
  /// asked for by itself.
  public func perform(_ operation: Operation, _ attempt: Attempt) async -> Outcome {
    var progress = Progress(operation, attempt, depth: 0)
    guard operation.preparesOthers else { return await perform(progress, for: nil) }
    let own = progress.preparation(.first(operation))
    while !Task.isCancelled, progress.spend() {
      let start = progress
      let landing = await flights.run(own, for: nil) {
        await self.perform(start, for: own).unlessCancelled
      }
      if case .landed(let outcome) = landing { return outcome }
    }
    return .refused(progress.cancelled)
  }

  /// What operations may have to wait for.
  struct Preparation: Hashable {
    var user: User
    var generation: Int?
    var work: Work

    enum Work: Hashable {
      case first(Operation)
      case renewal(Renewal)
    }
  }

  /// More prerequisites than any vendor has; an adapter that asks for more never ends.
  private static let budget = 8

  private func perform(_ start: Progress, for parent: Preparation?) async -> Outcome {
    var progress = start
    while true {
      if Task.isCancelled { return .refused(progress.cancelled) }
      do throws(EngagementError) {
        try await unkept.keep()
        let context = try await house.context(for: progress.operation, progress.attempt)
        if let outcome = try await advance(&progress, for: parent, in: context) { return outcome }
      } catch {
        return progress.outcome(of: error)
      }
    }
  }

  /// One step; nil when there is another to take.
  private func advance(
    _ progress: inout Progress, for parent: Preparation?, in context: AdapterContext
  ) async throws(EngagementError) -> Outcome? {
    switch try step(progress.operation, in: context) {
    case .done(let changes):
      try await house.conclude(progress.operation, with: changes, progress.attempt)
      return .done
    case .wait(let date):
      return .wait(until: date)
    case .renew(let reason):
      return try await renew(.credential, &progress, for: parent, used: context, reason, since: nil)
    case .first(let operation):
      return try await prepare(operation, &progress, for: parent)
    case .send(let request):
      return try await send(request, &progress, for: parent, in: context)
    }
  }

  /// What the adapter wants, with a missing credential told apart from a refusal.
  private enum Next {
    case done([Change])
    case wait(Date)
    case first(Operation)
    case send(HTTPRequest)
    case renew(EngagementError)
  }

  private func step(
    _ operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Next {
    guard adapter.capabilities.ability(operation.verb).travel != .unsupported else {
      throw EngagementError(.unsupported, "\(adapter.vendor) does not support this.")
    }
    do throws(EngagementError) {
      switch try adapter.step(for: operation, in: context) {
      case .done(let changes): return .done(changes)
      case .wait(let date): return .wait(date)
      case .first(let operation): return .first(operation)
      case .send(let request): return .send(request)
      }
    } catch {
      guard error.code == .unauthenticated else { throw error }
      return .renew(error)
    }
  }

  private func send(
    _ request: HTTPRequest, _ progress: inout Progress, for parent: Preparation?,
    in context: AdapterContext
  ) async throws(EngagementError) -> Outcome? {
    try checkHost(of: request)
    if let date = context.quietUntil { return .wait(until: date) }
    let sent = flights.landings
    progress.isUnderWay = true
    let response = try await house.send(request)
    progress.isUnderWay = false
    let answer = adapter.answer(to: progress.operation, from: response, in: context)
    let changes = answer.changes + Self.patience(answer, progress.operation, at: context.now)
    try await keep(changes, isDone: answer.verdict == .done, of: progress)
    switch answer.verdict {
    case .done: return .done
    case .partly(let rejected): return .partly(rejected: rejected)
    case .retry(let error): return .retry(progress.naming(error))
    case .refused(let error): return .refused(progress.naming(error))
    case .renew(let renewal):
      return try await renew(renewal, &progress, for: parent, used: context, since: sent)
    }
  }

  /// What was only asked for can be asked for again; what was done stays done where it can't be
  /// kept now.
  private func keep(
    _ changes: [Change], isDone: Bool, of progress: Progress
  ) async throws(EngagementError) {
    let (operation, attempt) = (progress.operation, progress.attempt)
    do throws(EngagementError) {
      try await unkept.keep()
      if isDone {
        try await house.conclude(operation, with: changes, attempt)
      } else {
        try await house.commit(changes, of: operation, attempt)
      }
    } catch {
      guard error.code.mayBeKeptLater, !operation.onlyAsks else { throw error }
      unkept.add(changes, of: operation, attempt)
    }
  }

  /// A vendor's wish to be asked nothing holds for whoever asks next, in this process and in later
  /// ones. What is delivered waits in its lane instead, where one parcel holds up no other.
  private static func patience(
    _ answer: Answer, _ operation: Operation, at now: Date
  ) -> [Change] {
    guard operation.onlyAsks, case .retry(let error) = answer.verdict,
      let wait = error.retryAfter
    else { return [] }
    return [.throttled(operation.verb, until: now.addingTimeInterval(wait / .seconds(1)))]
  }

  /// A vendor's answer may name the host of later requests; it may not name any host.
  private func checkHost(of request: HTTPRequest) throws(EngagementError) {
    guard adapter.capabilities.hosts.allows(try request.target()) else {
      throw EngagementError(
        .permissionDenied, "The request's host is not among those allowed for \(adapter.vendor).")
    }
  }

  // MARK: What has to come first

  private func prepare(
    _ operation: Operation, _ progress: inout Progress, for parent: Preparation?
  ) async throws(EngagementError) -> Outcome? {
    guard progress.spend() else {
      throw EngagementError(.internalFailure, "The prerequisites do not end.")
    }
    let needed = progress.preparation(.first(operation))
    let asked = progress
    let landing = await flights.run(needed, for: parent) {
      // Whoever led before may have met the need between our look and our lead.
      guard await self.stillNeeds(operation, first: asked) else { return .done }
      return await self.perform(asked.start(of: operation), for: needed).unlessCancelled
    }
    return try progress.outcome(of: landing)
  }

  private func stillNeeds(_ operation: Operation, first asked: Progress) async -> Bool {
    guard let context = try? await house.context(for: asked.operation, asked.attempt),
      case .first(operation)? = try? adapter.step(for: asked.operation, in: context)
    else { return false }
    return true
  }

  // MARK: Renewal

  private func renew(
    _ renewal: Renewal, _ progress: inout Progress, for parent: Preparation?,
    used: AdapterContext, _ reason: EngagementError? = nil, since sent: Int?
  ) async throws(EngagementError) -> Outcome? {
    guard !progress.hasRenewed, !progress.isRenewal(parent) else {
      throw reason
        ?? EngagementError(.unauthenticated, "The credential was refused after a renewal.")
    }
    progress.hasRenewed = true
    let needed = progress.preparation(.renewal(renewal))
    let asked = progress
    let landing = await flights.run(needed, for: parent, since: sent) {
      await self.renewed(renewal, needed, asked, used)
    }
    // Whoever led has given up: nothing was renewed, and what comes next may ask for it again.
    if case .abandoned = landing { progress.hasRenewed = !progress.spend() }
    return try progress.outcome(of: landing)
  }

  private func renewed(
    _ renewal: Renewal, _ needed: Preparation, _ asked: Progress, _ used: AdapterContext
  ) async -> Outcome? {
    do throws(EngagementError) {
      // Somebody else renewed it while this operation was under way.
      let now = try await house.context(for: asked.operation, asked.attempt)
      guard now.hasSameCredentials(as: used) else { return .done }
      switch renewal {
      case .credential:
        try await house.renewCredential(replacing: used.credential, for: asked.attempt)
        return .done
      case .operation(let operation):
        return await perform(asked.start(of: operation), for: needed).unlessCancelled
      }
    } catch {
      return asked.outcome(of: error).unlessCancelled
    }
  }

  // MARK: Progress

  /// What one operation has spent so far.
  private struct Progress {
    let operation: Operation
    let attempt: Attempt
    let depth: Int
    var hasRenewed = false
    /// Whether a request of it left and was not answered.
    var isUnderWay = false
    private var spent = 0

    init(_ operation: Operation, _ attempt: Attempt, depth: Int) {
      self.operation = operation
      self.attempt = attempt
      self.depth = depth
    }

    func preparation(_ work: Preparation.Work) -> Preparation {
      Preparation(user: attempt.user, generation: attempt.generation, work: work)
    }

    /// The start of what this needs first.
    func start(of operation: Operation) -> Progress {
      Progress(operation, attempt.preparing, depth: depth + 1)
    }

    mutating func spend() -> Bool {
      spent += 1
      return spent + depth <= Exchange.budget
    }

    /// A renewal that needs renewing would go on for ever.
    func isRenewal(_ parent: Preparation?) -> Bool {
      if case .renewal = parent?.work { true } else { false }
    }

    var cancelled: EngagementError { naming(.cancelledUnsent) }

    func naming(_ error: EngagementError) -> EngagementError {
      var error = error
      error.operation = error.operation ?? operation.verb.text
      return error
    }

    func outcome(of error: EngagementError) -> Outcome {
      let named = naming(error.code == .cancelled && !isUnderWay ? .cancelledUnsent : error)
      return error.code.mayRetry ? .retry(named) : .refused(named)
    }

    /// Nil to go on; what stopped the preparation stops the operation too.
    func outcome(
      of landing: SingleFlight<Preparation, Outcome>.Landing
    ) throws(EngagementError) -> Outcome? {
      switch landing {
      case .landed(.done), .landed(.partly): return nil
      case .landed(let outcome): return outcome
      // Ask again: the loop notices when it is this task that was cancelled.
      case .abandoned: return nil
      case .circular:
        throw EngagementError(.internalFailure, "A prerequisite needs itself.")
      }
    }
  }
}

extension EngagementError {
  /// Cancelled before anything of it left: the vendor is known to have done nothing.
  static let cancelledUnsent = EngagementError(
    .cancelled, "It was cancelled.", underlying: "unsent")

  var isUnsent: Bool { code == .cancelled && underlying == Self.cancelledUnsent.underlying }
}

extension Exchange.Outcome {
  /// Nil for a leader that was cancelled: the others must not fail with it.
  fileprivate var unlessCancelled: Self? {
    if case .refused(let error) = self, error.code == .cancelled { nil } else { self }
  }
}

extension Operation {
  /// Whether it changes nothing at the vendor.
  fileprivate var onlyAsks: Bool {
    switch self {
    case .settings, .cards, .inbox, .message, .person, .metrics, .campaigns: true
    default: false
    }
  }

  /// Whether other operations may have to wait for this one.
  fileprivate var preparesOthers: Bool {
    switch self {
    case .settings, .device, .associate, .person: true
    default: false
    }
  }
}

import EngagementAdapterAPI
import EngagementHTTP
package import EngagementModel
package import EngagementPlatform
import EngagementStore

/// Executes the operations of one provider at its vendor.
///
/// It asks the adapter for steps until the operation has ended. The changes of each step are
/// committed before the next, prerequisites first, so a failure half-way loses nothing. If a commit
/// fails, the answer is committed later and the request is not repeated. Prerequisites and renewals
/// are single-flight: ten operations that need a device register one.
package final class OperationRunner: Sendable {
  private let adapter: any EngagementAdapter
  private let host: any OperationHost
  private let uncommitted: UncommittedAnswers
  let singleFlight: SingleFlight<Preparation, Execution>

  init(_ adapter: any EngagementAdapter, in host: any OperationHost) {
    self.adapter = adapter
    self.host = host
    uncommitted = UncommittedAnswers(of: host)
    singleFlight = SingleFlight()
  }

  /// A runner in another host that shares what operations prepare with this one.
  init(beside runner: OperationRunner, in host: any OperationHost) {
    adapter = runner.adapter
    self.host = host
    uncommitted = runner.uncommitted
    singleFlight = runner.singleFlight
  }

  /// How an operation ended.
  package enum Outcome: Hashable, Sendable {
    case done
    /// Done, except for these events.
    case partly(rejected: [EventID: String])
    /// Not before then; nothing was sent.
    case wait(until: Date)
    /// It may work later, not before the error's `retryAfter`. The vendor is not known to have
    /// done anything.
    case retry(EngagementError)
    /// It will not work.
    case refused(EngagementError)
    /// Its task was cancelled. If no request was under way, the vendor has done nothing.
    case cancelled(EngagementError, wasSent: Bool)
  }

  /// The result of executing an operation. Of its prerequisites only the outcome counts.
  struct Execution: Hashable, Sendable {
    var outcome: Outcome
    /// Whether a request of its own was sent.
    var wasSent = false
    /// Whether it brought something that the application sees.
    var hasNews = false
    /// Whether the vendor said that a feed is unchanged.
    var isUnchanged = false
  }

  /// Makes the ledger event of an operation that is done; nil for none.
  typealias EventMaker = @Sendable () -> EngagementEvent?

  /// Executes the operation and commits what comes back.
  ///
  /// An operation that others may need first, such as registering the device, is single-flight too.
  ///
  /// - Parameters:
  ///   - rows: The outbox rows that it delivers. It is refused with `conflict` if one of them ends
  ///     before the request is sent.
  ///   - event: Recorded in the commit of the last answer, where the operation is done.
  func execute(
    _ operation: Operation, _ attempt: Attempt, for rows: [OutboxRow.ID] = [],
    recording event: EventMaker? = nil
  ) async -> Execution {
    var progress = OperationProgress(operation, attempt, depth: 0, rows: rows, recording: event)
    guard operation.preparesOthers else { return await execute(progress, for: nil) }
    let own = progress.preparation(.first(operation))
    while !Task.isCancelled, progress.spend() {
      let start = progress
      let completion = await singleFlight.run(own, for: nil) {
        await self.execute(start, for: own).unlessCancelled
      }
      if case .completed(let execution) = completion { return execution }
    }
    return progress.ended(progress.cancelled)
  }

  /// Work that several operations may need.
  struct Preparation: Hashable {
    var user: User
    var generation: Int?
    var work: Work

    enum Work: Hashable {
      case first(Operation)
      case renewal(Renewal)
    }
  }

  /// More prerequisites than any vendor has. An adapter that asks for more would never end.
  static let budget = 8

  private func execute(_ start: OperationProgress, for parent: Preparation?) async -> Execution {
    var progress = start
    while true {
      if Task.isCancelled { return progress.ended(progress.cancelled) }
      do throws(EngagementError) {
        try await uncommitted.commit()
        let context = try await host.context(
          for: progress.operation, progress.attempt, delivering: progress.rows)
        if let outcome = try await advance(&progress, for: parent, in: context) {
          return progress.ended(outcome)
        }
      } catch {
        return progress.ended(progress.outcome(of: error))
      }
    }
  }

  /// Takes one step; nil when there is another to take.
  private func advance(
    _ progress: inout OperationProgress, for parent: Preparation?, in context: AdapterContext
  ) async throws(EngagementError) -> Outcome? {
    switch try step(progress.operation, in: context) {
    case .done(let changes):
      let event = progress.event?()
      try await host.commit(
        changes, of: progress.operation, progress.attempt, recording: event)
      progress.note(changes)
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

  /// The adapter's step, with a missing credential as a case of its own.
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
    _ request: HTTPRequest, _ progress: inout OperationProgress, for parent: Preparation?,
    in context: AdapterContext
  ) async throws(EngagementError) -> Outcome? {
    try adapter.capabilities.checkHost(of: request, at: adapter.vendor)
    if let date = context.quietUntil { return .wait(until: date) }
    let (sent, live) = (singleFlight.completions, host.liveCommits)
    progress.noteRequest()
    let reply = try await host.send(request)
    progress.isUnderWay = false
    let answer = adapter.answer(to: progress.operation, from: reply.response, in: context)
    await host.note(answer, reply, to: request, for: progress.operation, progress.attempt)
    // The live channel's cards are newer than this answer may be.
    if answer.verdict == .done, host.liveCommits != live, progress.spendRepeat() { return nil }
    let changes = answer.changes + Self.throttle(answer, progress.operation, at: context.now)
    try await commit(changes, isDone: answer.verdict == .done, of: &progress)
    switch answer.verdict {
    case .done: return host.liveCommits != live && progress.spendRepeat() ? nil : .done
    case .partly(let rejected): return .partly(rejected: rejected)
    case .retry(let error): return .retry(progress.naming(error))
    case .refused(let error): return .refused(progress.naming(error))
    case .renew(let renewal):
      return try await renew(renewal, &progress, for: parent, used: context, since: sent)
    }
  }

  /// Commits an answer. If that fails now, an operation that changed something at the vendor is
  /// committed later; one that only reads fails and can be asked again.
  private func commit(
    _ changes: [Change], isDone: Bool, of progress: inout OperationProgress
  ) async throws(EngagementError) {
    let (operation, attempt) = (progress.operation, progress.attempt)
    let event = isDone ? progress.event?() : nil
    progress.note(changes)
    do throws(EngagementError) {
      try await uncommitted.commit()
      try await host.commit(changes, of: operation, attempt, recording: event)
    } catch {
      guard error.code.mayBeKeptLater, !operation.onlyReads else { throw error }
      uncommitted.add(changes, of: operation, attempt)
    }
  }

  /// A vendor's request for a pause is stored for later operations, also of later processes. If it
  /// delays one delivery and is none for the client, the delivery queue waits, where one batch does
  /// not hold up another. A client that sends too fast is told so about a feed or about everything.
  private static func throttle(
    _ answer: Answer, _ operation: Operation, at now: Date
  ) -> [Change] {
    guard case .retry(let error) = answer.verdict, let wait = error.retryAfter,
      operation.onlyReads || error.code == .rateLimited
    else { return [] }
    let seconds = Backoff.clamped(wait) / .seconds(1)
    let isOfEverything = error.code == .rateLimited && !operation.readsItems
    return [
      .throttled(
        isOfEverything ? nil : operation.verb, until: now.addingTimeInterval(seconds))
    ]
  }

  // MARK: Prerequisites

  private func prepare(
    _ operation: Operation, _ progress: inout OperationProgress, for parent: Preparation?
  ) async throws(EngagementError) -> Outcome? {
    guard progress.spend() else {
      throw EngagementError(.internalFailure, "The prerequisites do not end.")
    }
    let needed = progress.preparation(.first(operation))
    let waiting = progress
    let completion = await singleFlight.run(needed, for: parent) {
      await self.alone(operation, waiting) {
        // Check again: the previous leader may have finished between our check and our turn.
        guard await self.stillNeeds(operation, first: waiting) else {
          return Execution(outcome: .done)
        }
        return await self.execute(waiting.start(of: operation), for: needed).unlessCancelled
      }
    }
    return try progress.outcome(of: completion)
  }

  /// Runs the body while no other process prepares the same; nil if it was cancelled.
  private func alone(
    _ operation: Operation, _ waiting: OperationProgress, _ body: () async -> Execution?
  ) async -> Execution? {
    do throws(EngagementError) {
      return try await host.excluding(operation, body)
    } catch {
      return waiting.ended(waiting.outcome(of: error)).unlessCancelled
    }
  }

  private func stillNeeds(_ operation: Operation, first waiting: OperationProgress) async -> Bool {
    guard
      let context = try? await host.context(
        for: waiting.operation, waiting.attempt, delivering: waiting.rows),
      case .first(operation)? = try? adapter.step(for: waiting.operation, in: context)
    else { return false }
    return true
  }

  // MARK: Renewal

  private func renew(
    _ renewal: Renewal, _ progress: inout OperationProgress, for parent: Preparation?,
    used: AdapterContext, _ reason: EngagementError? = nil, since sent: Int?
  ) async throws(EngagementError) -> Outcome? {
    guard !progress.hasRenewed, !progress.isRenewal(parent) else {
      throw reason
        ?? EngagementError(.unauthenticated, "The credential was refused after a renewal.")
    }
    progress.hasRenewed = true
    let needed = progress.preparation(.renewal(renewal))
    let waiting = progress
    let completion = await singleFlight.run(needed, for: parent, since: sent) {
      await self.renewed(renewal, needed, waiting, used)
    }
    // The leader gave up, so nothing was renewed: the next step may ask for it again.
    if case .abandoned = completion { progress.hasRenewed = !progress.spend() }
    return try progress.outcome(of: completion)
  }

  private func renewed(
    _ renewal: Renewal, _ needed: Preparation, _ waiting: OperationProgress, _ used: AdapterContext
  ) async -> Execution? {
    switch renewal {
    case .credential:
      return await renewed(waiting, used) { () async throws(EngagementError) in
        try await self.host.renewCredential(replacing: used.credential, for: waiting.attempt)
        return Execution(outcome: .done)
      }
    case .operation(let operation):
      return await alone(operation, waiting) {
        await self.renewed(waiting, used) { () async throws(EngagementError) in
          await self.execute(waiting.start(of: operation), for: needed).unlessCancelled
        }
      }
    }
  }

  /// Runs the body, unless another task or process has renewed what the operation used.
  private func renewed(
    _ waiting: OperationProgress, _ used: AdapterContext,
    _ body: () async throws(EngagementError) -> Execution?
  ) async -> Execution? {
    do throws(EngagementError) {
      let now = try await host.context(
        for: waiting.operation, waiting.attempt, delivering: waiting.rows)
      guard now.hasSameCredentials(as: used) else { return Execution(outcome: .done) }
      return try await body()
    } catch {
      return waiting.ended(waiting.outcome(of: error)).unlessCancelled
    }
  }
}

extension AdapterCapabilities {
  /// A vendor's answer may name the host of later requests; it may not name any host.
  func checkHost(of request: HTTPRequest, at vendor: Vendor) throws(EngagementError) {
    guard hosts.allows(try request.target()) else {
      throw EngagementError(
        .permissionDenied, "The request's host is not among those allowed for \(vendor).")
    }
  }
}

extension OperationRunner.Execution {
  /// Nil for a leader that was cancelled: the tasks that wait for it must not fail with it.
  fileprivate var unlessCancelled: Self? {
    if case .cancelled = outcome { nil } else { self }
  }
}

extension Operation {
  /// Whether it changes nothing at the vendor.
  var onlyReads: Bool {
    switch self {
    case .settings, .cards, .inbox, .message, .person, .metrics, .campaigns: true
    case .events, .act, .device, .registerPush, .unregisterPush, .associate, .updatePerson, .optOut,
      .templates, .upload, .pushContainers, .vendor:
      false
    }
  }

  /// Whether it reads items and the person whom they are for.
  fileprivate var readsItems: Bool {
    switch self {
    case .cards, .inbox, .message, .person, .metrics, .campaigns: true
    case .settings, .events, .act, .device, .registerPush, .unregisterPush, .associate,
      .updatePerson, .optOut, .templates, .upload, .pushContainers, .vendor:
      false
    }
  }

  /// Whether other operations may have to wait for this one.
  fileprivate var preparesOthers: Bool {
    switch self {
    case .settings, .device, .associate, .person: true
    case .cards, .inbox, .message, .metrics, .campaigns, .events, .act, .registerPush,
      .unregisterPush, .updatePerson, .optOut, .templates, .upload, .pushContainers, .vendor:
      false
    }
  }
}

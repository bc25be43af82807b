import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import FoundationEssentials

/// What is around the exchange of one provider: the cache, the secrets, the application's
/// credentials and the network, for whoever uses the application now.
final class ProviderHouse: ExchangeHouse {
  let house: House
  let provider: Provider
  /// What operations bring, for those who wait for it.
  let findings = Findings()
  private let desk: CredentialDesk
  private let session: @Sendable (ProviderID) -> Session?
  private let lost: LostRows
  private let gate = ConsentGate()

  init(
    _ provider: Provider, in house: House, desk: CredentialDesk, lost: LostRows,
    session: @escaping @Sendable (ProviderID) -> Session?
  ) {
    self.provider = provider
    self.house = house
    self.desk = desk
    self.lost = lost
    self.session = session
  }

  // MARK: What is known

  func context(
    for operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError) -> AdapterContext {
    let occupant = try occupant(of: attempt)
    let (memory, consent) = try await house.store.standing(
      of: provider.id, in: occupant.partition)
    try gate.check(operation, attempt, by: consent)
    if let reason = lost.reason(of: attempt.key) { throw error(.conflict, reason) }
    var context = try await context(attempt, remembering: memory)
    if case .unregisterPush(let environment) = operation,
      let token = try await house.strongbox.retired(for: attempt.key, environment)
    {
      context.push[environment] = token
    }
    context.quietUntil = memory.quiet(for: operation.verb, at: context.now)
    // Somebody else may have come while the cache and the secrets were asked.
    _ = try self.occupant(of: attempt)
    return context
  }

  /// What is known now, whether or not anything may be sent.
  func context(
    _ attempt: Attempt, in partition: Partition
  ) async throws(EngagementError) -> AdapterContext {
    try await context(
      attempt, remembering: try await house.store.memory(of: provider.id, in: partition))
  }

  private func context(
    _ attempt: Attempt, remembering memory: ProviderMemory
  ) async throws(EngagementError) -> AdapterContext {
    let kept = try await house.strongbox.contents(of: provider.id, for: attempt.user)
    return AdapterContext(
      user: attempt.user, device: house.device(), values: memory.values, secrets: kept.secrets,
      credential: desk.credential(for: provider.id, attempt.user), push: kept.push,
      session: session(provider.id), now: house.clock.now, key: attempt.key,
      acceptedAt: attempt.acceptedAt, attempt: attempt.number,
      isUserRequested: attempt.isUserRequested)
  }

  private func occupant(of attempt: Attempt) throws(EngagementError) -> Occupant {
    guard let occupant = house.occupancy.occupant(acting: attempt) else {
      throw error(.signedOut, "The user has changed.")
    }
    return occupant
  }

  private func error(_ code: EngagementError.Code, _ message: String) -> EngagementError {
    EngagementError(code, message, provider: provider.id)
  }

  // MARK: What comes back

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError) {
    findings.note(changes, of: attempt.key)
    try await commit(changes, by: attempt)
  }

  func conclude(
    _ operation: Operation, with changes: [Change], _ attempt: Attempt
  ) async throws(EngagementError) {
    findings.note(changes, of: attempt.key)
    let event = findings.event(of: attempt.key)
    try await commit(changes, by: attempt, recording: event.map { [$0] } ?? [])
  }

  /// Commits to the user's own partition and shows it where that is the present one.
  func commit(
    _ changes: [Change], by attempt: Attempt, recording events: [EngagementEvent] = []
  ) async throws(EngagementError) {
    guard !changes.isEmpty || !events.isEmpty else { return }
    let (report, partition) = try await house.occupancy.committing(by: attempt, for: provider.id) {
      (speaksForInstallation) async throws(EngagementError) in
      let own = speaksForInstallation ? changes : changes.filter { !$0.isOfInstallation }
      return try await self.keep(own, of: attempt.user, recording: events)
    }
    await publish(report, of: partition)
  }

  /// Keeps secrets where secrets are kept, and the rest in the cache. A kill between the two
  /// leaves a secret that the vendor gives again.
  func keep(
    _ changes: [Change], of user: User, recording events: [EngagementEvent] = []
  ) async throws(EngagementError) -> (CommitReport, Partition) {
    try await house.strongbox.keep(changes, of: provider.id, for: user)
    let (report, partition) = try await house.store.commit(
      changes, from: provider.id, of: user, at: house.clock.now, recording: events)
    if report.hasNewSettings { tellSettings(changes) }
    return (report, partition)
  }

  private func tellSettings(_ changes: [Change]) {
    for case .settings(let settings) in changes {
      for (what, isOn) in [("Cards", settings.cardsEnabled), ("The inbox", settings.inboxEnabled)] {
        guard let isOn else { continue }
        house.log(.info, "\(what): the vendor has it switched \(isOn ? "on" : "off").", provider.id)
      }
    }
  }

  /// Tells everybody what a commit did.
  func publish(_ report: CommitReport, of partition: Partition) async {
    if !report.quarantined.isEmpty {
      house.log(.warning, "\(report.quarantined.count) bad items were set aside.", provider.id)
    }
    for error in report.ignored { house.log(.warning, error.message, provider.id) }
    await house.bulletin.post(report, of: partition)
  }

  // MARK: What goes out

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    _ = try occupant(of: attempt)
    try await desk.renew(
      replacing: refused, for: provider.id, attempt.user,
      by: provider.adapter.capabilities.credentials)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    var (request, followed) = (request, 0)
    while true {
      let response = try await transmit(request)
      switch Redirect.next(after: response, to: request, followed: followed) {
      case .none: return response
      case .follow(let next): (request, followed) = (next, followed + 1)
      case .refused(let refusal): throw named(refusal.error)
      }
    }
  }

  private func transmit(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let start = house.clock.uptime
    // A path may name a person, so a line has the host alone.
    let place = "\(request.method) \((try? request.target())?.host.text ?? "no host")"
    do throws(EngagementError) {
      let response = try await house.transport.send(request)
      let time = (house.clock.uptime - start).milliseconds
      house.log(.verbose, "\(place): \(response.status) in \(time) ms", provider.id)
      return response
    } catch {
      house.log(.info, "\(place): \(error.code)", provider.id)
      throw named(error)
    }
  }

  private func named(_ error: EngagementError) -> EngagementError {
    var error = error
    error.provider = error.provider ?? provider.id
    return error
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension ProviderMemory {
  /// No vendor wants to be left alone for longer: what lies further ahead is a clock that jumped.
  private static let longestPause: TimeInterval = 86_400

  /// Until when operations with the verb wait; nil for those that need not.
  fileprivate func quiet(for verb: Operation.Verb, at now: Date) -> Date? {
    throttles.filter { $0.verb == nil || $0.verb == verb }.map(\.until)
      .filter { $0 > now && $0.timeIntervalSince(now) <= Self.longestPause }.max()
  }
}

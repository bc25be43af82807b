import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The cache, the secrets, the credentials and the network of one provider.
final class ProviderHost: OperationHost {
  let dependencies: KitDependencies
  let provider: Provider
  private let credentialCache: CredentialCache
  private let sessions: Sessions
  private let exposures: Exposures
  private let plans: @Sendable () -> RoutePlans
  private let liveCommitCount = Locked(0)
  private let hasSocket = Locked(false)
  private let failures = ReportedFailures()

  init(
    _ provider: Provider, with dependencies: KitDependencies, _ credentialCache: CredentialCache,
    _ sessions: Sessions, _ exposures: Exposures, plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.provider = provider
    self.plans = plans
    self.dependencies = dependencies
    self.credentialCache = credentialCache
    self.sessions = sessions
    self.exposures = exposures
  }

  // MARK: Context

  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [OutboxRow.ID]
  ) async throws(EngagementError) -> AdapterContext {
    let userSession = try userSession(of: attempt)
    // What could be seen of a feed is recorded before the feed is asked for again.
    await exposures.record()
    let state = try await dependencies.store.operationState(
      of: provider.id, in: userSession.partition, delivering: rows, at: dependencies.clock.now)
    try ConsentPolicy(consent: state.consent).check(
      operation, attempt, provider.adapter.capabilities)
    guard state.hasAllRows else {
      throw error(.conflict, "The action ended before it was sent.")
    }
    // Such as an extension's, for a user who was not present then.
    if case .events(let events) = operation, events.contains(where: { $0.session == nil }) {
      await sessions.touch([provider])
    }
    var context = try await context(attempt, remembering: state.memory, for: operation)
    if case .unregisterPush(let environment) = operation,
      let token = try await dependencies.providerSecrets.retired(for: attempt.key, environment)
    {
      context.push[environment] = token
    }
    if case .upload(let upload) = operation, let row = rows.first {
      context.file = try await file(of: upload, in: row)
    }
    context.counters = state.counters
    context.campaignReport = state.campaignReport
    context.quietUntil = state.memory.quiet(for: operation.verb, at: context.now)
    // The user may have changed while the cache and the secrets were read.
    _ = try self.userSession(of: attempt)
    return context
  }

  /// The file of an upload, which must be as it was accepted.
  private func file(
    of upload: Operation.Upload, in row: OutboxRow.ID
  ) async throws(EngagementError) -> [UInt8] {
    guard let file = try await dependencies.store.file(of: row),
      SHA256.digest(of: file).description == upload.digest
    else { throw error(.notFound, "\(upload.fileName) is not in the cache as it was chosen.") }
    return file
  }

  /// The context now, whether or not anything may be sent.
  func context(
    _ attempt: Attempt, in partition: Partition
  ) async throws(EngagementError) -> AdapterContext {
    // A user whom another process has erased has no counts, and still leaves.
    let state = try? await dependencies.store.operationState(
      of: provider.id, in: partition, delivering: [], at: dependencies.clock.now)
    guard let state else {
      return try await context(
        attempt,
        remembering: try await dependencies.store.memory(of: provider.id, in: partition))
    }
    var context = try await context(attempt, remembering: state.memory)
    context.counters = state.counters
    context.campaignReport = state.campaignReport
    return context
  }

  /// A vendor that the route of pushes does not lead to has no token, but to give it back.
  private func context(
    _ attempt: Attempt, remembering memory: ProviderMemory, for operation: Operation? = nil
  ) async throws(EngagementError) -> AdapterContext {
    let kept = try await dependencies.providerSecrets.contents(
      of: provider.id, for: attempt.user)
    let isAboutToken = operation?.verb == .registerPush || operation?.verb == .unregisterPush
    let hasToken = isAboutToken || plans().lead(to: provider.id, for: .push)
    var context = AdapterContext(
      user: attempt.user, device: dependencies.device(), values: memory.values,
      secrets: kept.secrets, credential: credentialCache.credential(for: provider.id, attempt.user),
      push: hasToken ? kept.push : [:], session: sessions.session(for: provider.id),
      now: dependencies.clock.now,
      key: attempt.key, acceptedAt: attempt.acceptedAt, attempt: attempt.number,
      isUserRequested: attempt.isUserRequested)
    context.wantsEverything = attempt.wantsEverything
    context.formerSessions = sessions.formerSessions(for: provider.id)
    return context
  }

  private func userSession(of attempt: Attempt) throws(EngagementError) -> UserSession {
    guard let userSession = dependencies.currentUser.userSession(acting: attempt) else {
      throw error(.signedOut, "The user has changed.")
    }
    return userSession
  }

  private func error(_ code: EngagementError.Code, _ message: String) -> EngagementError {
    EngagementError(code, message, provider: provider.id)
  }

  // MARK: Committing

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    try await commit(
      changes, by: attempt, recording: event, isOfOneItem: operation.concernsOneItem)
  }

  var liveCommits: Int { liveCommitCount.withLock(\.self) }

  /// Commits what the live channel brought. Requests that are under way are told first: their answers may
  /// be older.
  func commitLive(_ changes: [Change], by attempt: Attempt) async throws(EngagementError) {
    if changes.contains(where: \.isOfItems) { liveCommitCount.withLock { $0 += 1 } }
    try await commit(changes, by: attempt, isLive: true)
  }

  /// Notes whether the live channel has an open socket. While it has, what is on the way there may be
  /// older than an answer, so that only what it brings ends overlays.
  func noteSocket(isOpen: Bool) { hasSocket.withLock { $0 = isOpen } }

  /// Commits to the partition of the attempt's user and publishes what changed.
  @discardableResult func commit(
    _ changes: [Change], by attempt: Attempt, recording event: EngagementEvent? = nil,
    isOfOneItem: Bool = false, isLive: Bool = false
  ) async throws(EngagementError) -> CommitReport {
    guard !changes.isEmpty || event != nil else { return CommitReport() }
    let (report, partition) = try await dependencies.currentUser.committing(
      by: attempt, for: provider.id
    ) { (partition, speaksForInstallation) async throws(EngagementError) in
      let own = speaksForInstallation ? changes : changes.filter { !$0.isOfInstallation }
      let report = try await self.keep(
        own, in: partition, recording: event, isOfOneItem: isOfOneItem,
        settlesOverlays: isLive || !self.hasSocket.withLock(\.self))
      return (report, partition)
    }
    await publish(report, of: partition)
    return report
  }

  /// Keeps secrets in the secret store and the rest in the cache. A kill between the two leaves a
  /// secret that the vendor gives again.
  func keep(
    _ changes: [Change], in partition: Partition, recording event: EngagementEvent? = nil,
    isOfOneItem: Bool = false, settlesOverlays: Bool = true
  ) async throws(EngagementError) -> CommitReport {
    let store = dependencies.store
    // Throws for a user whom another process has erased or purged, of whom no secret is kept.
    if changes.contains(where: \.isSecret) { _ = try await store.consent(of: partition) }
    try await dependencies.providerSecrets.keep(changes, of: provider.id, for: partition.user)
    let report: CommitReport
    do throws(EngagementError) {
      report = try await store.commit(
        changes, from: provider.id, in: partition, at: dependencies.clock.now,
        recording: event.map { [$0] } ?? [],
        assigning: exposures.update(with: changes, from: provider.id, in: partition),
        isOfOneItem: isOfOneItem,
        settlesOverlays: settlesOverlays,
        loadsFeeds: dependencies.currentUser.userSession.partition == partition)
    } catch {
      // The other process came between the two. A user who is back has secrets of a new stay.
      if error.code == .notFound, try await store.presentUser() != partition.user {
        try await dependencies.secrets.removeAll(
          of: partition.user, in: dependencies.environment)
      }
      throw error
    }
    if report.hasNewSettings { logSettings(changes) }
    return report
  }

  private func logSettings(_ changes: [Change]) {
    for case .settings(let settings) in changes {
      for (what, isOn) in [("Cards", settings.cardsEnabled), ("The inbox", settings.inboxEnabled)] {
        guard let isOn else { continue }
        dependencies.log(
          .info, "\(what): the vendor has it switched \(isOn ? "on" : "off").", provider.id)
      }
    }
  }

  /// Tells observers what a commit changed.
  func publish(_ report: CommitReport, of partition: Partition) async {
    if !report.quarantined.isEmpty {
      let count = report.quarantined.count
      dependencies.log(
        .warning,
        "\(count) bad \(count == 1 ? "item was" : "items were") set aside; the log of events says why.",
        provider.id)
    }
    for error in report.ignored {
      dependencies.log(.warning, error.message, error.provider ?? provider.id)
    }
    await dependencies.commitPublisher.publish(report, of: partition)
  }

  func note(
    _ answer: Answer, _ reply: HTTPReply, to request: HTTPRequest, for operation: Operation,
    _ attempt: Attempt
  ) async {
    guard provider.takes(.providerFailed), operation.verb != .events,
      failures.isNews(answer.verdict, for: operation.verb)
    else { return }
    var properties: JSONObject = [
      "operation": .string(operation.verb.rawValue),
      "statusCode": .integer(Int64(reply.response.status)),
      "milliseconds": .integer(reply.time.milliseconds),
    ]
    properties["path"] = (try? request.target()).map { .string(String($0.path.dropFirst())) }
    var event = dependencies.event(
      .providerFailed, at: provider.id, in: sessions.session(for: provider.id)?.id, properties)
    if case .act(_, let item) = operation { event.item = item }
    await report(event, recordedIf: !operation.onlyReads, by: attempt)
  }

  /// Reports an event to the vendor if its kind is taken there, as far as the user's consent allows.
  ///
  /// - Parameter isRecorded: Whether the ledger gets it too; false for what it has already.
  func report(
    _ event: EngagementEvent, recordedIf isRecorded: Bool = true, by attempt: Attempt
  ) async {
    guard let partition = dependencies.currentUser.userSession(acting: attempt)?.partition else {
      return
    }
    let isTaken = provider.takes(event.kind) && provider.serves(attempt.user)
    let delivery = Intent.Delivery(
      to: provider.id, .event(event), key: dependencies.key(), isAnalytics: true)
    do throws(EngagementError) {
      try await dependencies.accept(in: partition) { (consent, _) throws(EngagementError) in
        guard consent != .denied else { return [] }
        let isTold = isTaken && consent == .full
        return [Intent(event: isRecorded ? event : nil, deliveries: isTold ? [delivery] : [])]
      }
    } catch {
      dependencies.log(.warning, "A failure could not be recorded: \(error.code)", provider.id)
    }
  }

  // MARK: Other processes

  func excluding(
    _ operation: Operation, _ body: () async -> OperationRunner.Execution?
  ) async throws(EngagementError) -> OperationRunner.Execution? {
    try await dependencies.store.excluding(
      "\(provider.id) \(operation.verb)", within: Self.patience, body)
  }

  /// How long to wait for another process, whose request may take this long.
  private static let patience: Duration = .seconds(30)

  // MARK: Sending

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    _ = try userSession(of: attempt)
    let isRenewed = try await credentialCache.renew(
      replacing: refused, for: provider.id, attempt.user,
      by: provider.adapter.capabilities.credentials)
    guard isRenewed else { return }
    let session = sessions.session(for: provider.id)?.id
    await report(dependencies.event(.credentialRenewed, at: provider.id, in: session), by: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPReply {
    let start = dependencies.clock.uptime
    var (request, followed) = (request, 0)
    while true {
      let response = try await transmit(request)
      switch Redirect.next(after: response, to: request, followed: followed) {
      case .none: return HTTPReply(response: response, time: dependencies.clock.uptime - start)
      case .follow(let next): (request, followed) = (next, followed + 1)
      case .refused(let refusal): throw named(refusal.error)
      }
    }
  }

  private func transmit(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let start = dependencies.clock.uptime
    // A path may name a person, so a line has the host alone.
    let place = "\(request.method) \((try? request.target())?.host.text ?? "no host")"
    do throws(EngagementError) {
      let response = try await dependencies.transport.send(request)
      let time = (dependencies.clock.uptime - start).milliseconds
      dependencies.log(.verbose, "\(place): \(response.status) in \(time) ms", provider.id)
      return response
    } catch {
      dependencies.log(.info, "\(place): \(error.code)", provider.id)
      throw named(error)
    }
  }

  private func named(_ error: EngagementError) -> EngagementError {
    var error = error
    error.provider = error.provider ?? provider.id
    return error
  }
}

extension Change {
  fileprivate var isOfItems: Bool {
    switch destination {
    case .items: true
    case .secrets, .values, .outbox, .ledger, .campaigns, .report: false
    }
  }

  fileprivate var isSecret: Bool {
    switch destination {
    case .secrets: true
    case .items, .values, .outbox, .ledger, .campaigns, .report: false
    }
  }
}

extension Operation {
  /// Whether the answer is about one item, and lists no others.
  fileprivate var concernsOneItem: Bool {
    switch self {
    case .act, .message: true
    case .settings, .device, .registerPush, .unregisterPush, .associate, .cards, .inbox, .person,
      .updatePerson, .metrics, .campaigns, .events, .templates, .upload, .optOut, .pushContainers,
      .vendor:
      false
    }
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension ProviderMemory {
  /// Until when operations with the verb wait; nil if they need not.
  fileprivate func quiet(for verb: Operation.Verb, at now: Date) -> Date? {
    throttles.filter { $0.verb == nil || $0.verb == verb }.filter { $0.binds(at: now) }
      .map(\.until).max()
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Changes the current user, in one order.
///
/// First the former user's vendors are told, as that user. Then no user is current for a moment, in
/// which the next user's partition is made ready. Then the next user is current. A kill anywhere
/// leaves one of the two current, with what each vendor has yet to be told kept for its own user.
final class UserTransitions: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]
  private let credentialCache: CredentialCache
  private let outboxSender: OutboxSender
  private let feedPublisher: FeedPublisher
  private let routeChanges: RouteChanges
  private let exposures: Exposures
  private let sessions: Sessions
  private let journal: JournalImporter
  private let presentations: Presentations
  private let liveChannels: LiveChannels
  let queue = UserChangeQueue()

  var anonymousStays: AnonymousStays { AnonymousStays(dependencies) }

  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    credentialCache: CredentialCache, outboxSender: OutboxSender, feedPublisher: FeedPublisher,
    routeChanges: RouteChanges, exposures: Exposures, sessions: Sessions, journal: JournalImporter,
    presentations: Presentations, liveChannels: LiveChannels
  ) {
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.credentialCache = credentialCache
    self.outboxSender = outboxSender
    self.feedPublisher = feedPublisher
    self.routeChanges = routeChanges
    self.exposures = exposures
    self.sessions = sessions
    self.journal = journal
    self.presentations = presentations
    self.liveChannels = liveChannels
  }

  private typealias Plans = [ProviderID: [TransitionStep]]
  private typealias Results = [ProviderID: SignOutSequence.Result]

  /// Signs the user in; the source gives credentials. Reports what became of the former user's
  /// actions.
  func signIn(
    _ user: User, within limit: Duration, credentials: @escaping CredentialSource
  ) async throws(EngagementError) -> SignOutReport {
    try await queue.inTurn { (isLatest) async throws(EngagementError) in
      guard user != dependencies.currentUser.userSession.user else {
        credentialCache.setSource(for: user, credentials)
        outboxSender.wake()
        return report(of: [:])
      }
      let report = try await change(to: user, credentials, within: limit, .keep)
      guard isLatest() else { throw UserChangeQueue.superseded }
      return report
    }
  }

  /// Makes the anonymous user current.
  func signOut(
    within limit: Duration, _ undelivered: UndeliveredActions, purgesCache: Bool
  ) async throws(EngagementError) -> SignOutReport {
    try await queue.inTurn { (_) async throws(EngagementError) in
      guard !dependencies.currentUser.userSession.user.isAnonymous else {
        if purgesCache { try await finishPurges() }
        return report(of: [:])
      }
      return try await change(
        to: .anonymous, nil, within: limit, purgesCache ? .discard : undelivered,
        purgesCache: purgesCache)
    }
  }

  /// Continues as the user whom another process made present. That process told the vendors.
  func followPresentUser() async {
    do throws(EngagementError) {
      try await queue.alone { () async throws(EngagementError) in
        let former = dependencies.currentUser.userSession
        let user = try await dependencies.store.presentUser()
        let next = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
        guard next != former.partition else { return }
        dependencies.log(.info, "Another process has changed the user.")
        // This process may have accepted anonymous rows after the other one had adopted its own.
        await exposures.record()
        let adopters = adopters(in: try await plans(for: former, to: next))
        try await feedPublisher.prepare(for: next)
        await liveChannels.pause()
        defer { liveChannels.resume() }
        await dependencies.currentUser.leave(CurrentUser.Change(adopters: adopters))
        await presentations.leave(former.partition, keeping: adopters)
        journal.setOwner(next)
        credentialCache.forgetCredentials(of: former.user)
        await enter(next, from: former, adopters, [])
      }
    } catch {
      dependencies.log(.warning, "The user of another process is not followed: \(error.code)")
    }
  }

  /// Tells the vendors again who has signed in, if the cache was damaged: with it went what their adapters
  /// knew of that.
  func introduceAgain() async {
    do throws(EngagementError) {
      guard try await dependencies.store.isIntroductionDue() else { return }
      try await queue.alone { () async throws(EngagementError) in
        let (store, present) = (dependencies.store, dependencies.currentUser.userSession)
        guard try await store.isIntroductionDue(), !present.user.isAnonymous else { return }
        let anonymous = UserSession(
          partition: try await store.partition(of: .anonymous, at: dependencies.clock.now),
          generation: present.generation)
        let plans = try await plans(for: anonymous, to: present.partition)
        for report in try await keepArrivals(plans, in: present.partition) {
          await dependencies.commitPublisher.publish(report, of: present.partition)
        }
        try await store.noteIntroduced()
      }
    } catch {
      dependencies.log(.warning, "The vendors are not told again who is here: \(error.code)")
    }
  }

  private func change(
    to user: User, _ credentials: CredentialSource?, within limit: Duration,
    _ undelivered: UndeliveredActions, purgesCache: Bool = false
  ) async throws(EngagementError) -> SignOutReport {
    let former = dependencies.currentUser.userSession
    // What the former user has seen is recorded before the feeds are another one's.
    await exposures.record()
    // Entries of an extension are the former user's, and may still be sent as that user.
    try await journal.importEntries()
    let next = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    try await removeRemains(of: user)
    // Another process may have changed the routes, and has told the vendors that left.
    await routeChanges.follow()
    var plans = try await plans(for: former, to: next)
    let adopters = adopters(in: plans)
    // The end of the usage session is sent before its user leaves.
    if adopters.isEmpty { await sessions.leave() }
    let sequence = SignOutSequence(
      dependencies: dependencies, runtimes: runtimes, outboxSender: outboxSender, former: former,
      end: dependencies.clock.uptime + limit)
    var results = await sequence.run(plans)
    // What was sent meanwhile may have made something at a vendor that is to be given up too.
    await sequence.run(
      try await self.plans(for: former, to: next), after: &plans, adding: &results)
    if Task.isCancelled { throw EngagementError(.cancelled, "The change of user was cancelled.") }
    await liveChannels.pause()
    defer { liveChannels.resume() }
    await dependencies.currentUser.leave(CurrentUser.Change(adopters: adopters))
    await presentations.leave(former.partition, keeping: adopters)
    do throws(EngagementError) {
      try await settleRows(of: former, undelivered, adopters, &results)
      let reports = try await prepare(next, plans, adopting: former, adopters, purgesCache)
      if let credentials { credentialCache.setSource(for: user, credentials) }
      await enter(next, from: former, adopters, reports)
      credentialCache.remove(former.user)
      if !user.isAnonymous { await recordSignIn(next) }
      // Such as of a route that changed while the user was away.
      await routeChanges.handOverTokens()
    } catch {
      dependencies.currentUser.stay()
      throw error
    }
    // The user has left: a failure here takes nothing back.
    if purgesCache { try await finishPurges() }
    return report(of: results)
  }

  private func adopters(in plans: Plans) -> Set<ProviderID> {
    Set(plans.filter { $0.value.contains(.adoptPending) }.keys)
  }

  /// What each vendor wants done.
  private func plans(
    for former: UserSession, to next: Partition
  ) async throws(EngagementError) -> Plans {
    var plans: Plans = [:]
    let (user, routes) = (next.user, try await feedPublisher.plans(for: next))
    let isFirst = former.user.isAnonymous
    let mayAdopt = isFirst ? try await anonymousStays.mayAdopt(former.partition, as: user) : false
    let handOver = try await TokenHandOver(
      from: feedPublisher.plans, to: routes,
      holding: try await dependencies.pushHoldings(of: former.partition).map(\.state),
      dependencies.providerSecrets)
    let attempt = Attempt(by: former.user, dependencies.key(), acceptedAt: dependencies.clock.now)
    for (id, runtime) in runtimes {
      let context = try await runtime.host.context(attempt, in: former.partition)
      let steps = runtime.provider.adapter.transition(from: former.user, to: user, in: context)
      plans[id] = handOver.completed(
        steps, at: runtime.provider, for: user, adopting: mayAdopt
      ).filter { step in
        switch step {
        // Only the anonymous user's rows can be adopted, and not by another than who was here before.
        case .adoptPending: mayAdopt
        case .enter(let operation): routes.lead(to: id, telling: operation.verb)
        case .sendPending, .leave, .apply: true
        }
      }
    }
    return plans
  }

  // MARK: The former user

  /// Keeps what vendors could not be told until the former user is back, or drops it.
  private func settleRows(
    of former: UserSession, _ undelivered: UndeliveredActions, _ adopters: Set<ProviderID>,
    _ results: inout Results
  ) async throws(EngagementError) {
    if undelivered == .keep { await acceptUntold(of: former, &results) }
    let untold = try await dependencies.untold(of: former.partition)
    let waiting = try await dependencies.store.pendingCounts(in: former.partition)
    for (provider, count) in waiting where !adopters.contains(provider) {
      switch undelivered {
      case .keep: results[provider]?.report.pending = count
      case .discard: results[provider]?.report.discarded = count
      }
    }
    if undelivered == .discard {
      let report = try await dependencies.store.wipeOutbox(
        of: former.partition, at: dependencies.clock.now)
      await dependencies.commitPublisher.publish(report, of: former.partition)
    }
    let holders = try await dependencies.tokenHolders(in: former.partition)
    let others = try await dependencies.holdersOfOthers(than: former.partition)
    for (id, runtime) in runtimes {
      let isTold = results[id]?.isTold == true && !untold.contains(id)
      let memory = try await dependencies.store.memory(of: id, in: former.partition)
      results[id]?.report.mayStillPush =
        runtime.supports(.registerPush)
        && (others.contains(id)
          || !isTold && (holders.contains(id) || runtime.mayHaveToken(memory)))
      if isTold, holders.contains(id) {
        try await dependencies.store.endRegistrations(
          at: id, in: former.partition, at: dependencies.clock.now)
      }
    }
  }

  // MARK: Purges

  /// Removes what is left of users whom the cache has purged, also by an earlier process: first what is
  /// kept beside the cache, then the bytes in its log.
  func finishPurges() async throws(EngagementError) {
    guard try await !dependencies.store.unfinishedPurges().isEmpty else { return }
    try await removeRemains()
    let purges = try await dependencies.store.unfinishedPurges().filter { $0.rest == .log }
    _ = try await dependencies.store.endErasure()
    for purge in purges { try await dependencies.store.notePurge(of: purge.partition, rest: nil) }
  }

  /// Removes secrets and files of users whom the cache has purged, of one or of all. No other process
  /// does so meanwhile: a user who is back has secrets and files of a new stay.
  private func removeRemains(of user: User? = nil) async throws(EngagementError) {
    guard try await !dependencies.store.unfinishedPurges(of: user).isEmpty else { return }
    let (dependencies, files) = (dependencies, presentations.files)
    let result = try await dependencies.store.excluding("purge", within: .seconds(30)) {
      () -> Result<Void, EngagementError> in
      do throws(EngagementError) {
        for (partition, rest) in try await dependencies.store.unfinishedPurges(of: user)
        where rest == .besideCache {
          try await dependencies.secrets.removeAll(of: partition.user, in: partition.environment)
          try await files.erase(partition.user, in: partition.environment)
          try await dependencies.store.notePurge(of: partition, rest: .log)
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Accepts the operations that a vendor could not be told, for when the former user is back. If
  /// the outbox is full, the vendor is never told, and the report says why.
  private func acceptUntold(of former: UserSession, _ results: inout Results) async {
    for (provider, result) in results where !result.untold.isEmpty {
      let deliveries = result.untold.map {
        Intent.Delivery(to: provider, .operation($0.operation), key: $0.key)
      }
      do throws(EngagementError) {
        try await dependencies.accept([Intent(deliveries: deliveries)], in: former.partition)
      } catch {
        results[provider]?.report.failure = error
        dependencies.log(.error, "A sign-out will not be told: \(error.code)", provider)
      }
    }
  }

  // MARK: The next user

  /// Makes the next user's partition ready before the user is current.
  private func prepare(
    _ next: Partition, _ plans: Plans, adopting former: UserSession, _ adopters: Set<ProviderID>,
    _ purgesFormer: Bool
  ) async throws(EngagementError) -> [CommitReport] {
    try await feedPublisher.prepare(for: next)
    var reports = try await keepArrivals(plans, in: next)
    if !adopters.isEmpty {
      reports.append(try await anonymousStays.adopt(former.partition, into: next, for: adopters))
    }
    if next.user.isAnonymous { try await anonymousStays.keepApart(next, after: former.user) }
    // Later answers to requests of a purged user would bring some of it back.
    if purgesFormer {
      await dependencies.currentUser.forget(former.partition)
      sessions.forget(former.partition)
    }
    // In one step: earlier entries of an extension are the former user's, later ones the next
    // one's.
    try await journal.importEntries(before: next) { () async throws(EngagementError) in
      guard purgesFormer else { return try await dependencies.store.setPresentUser(next.user) }
      let report = try await dependencies.store.purge(
        former.partition, at: dependencies.clock.now)
      await dependencies.commitPublisher.publish(report, of: former.partition)
    }
    return reports
  }

  /// Stores what the steps change for the next user.
  private func keepArrivals(
    _ plans: Plans, in next: Partition
  ) async throws(EngagementError) -> [CommitReport] {
    var reports: [CommitReport] = []
    for (id, steps) in plans {
      let changes = steps.flatMap(\.changesOnArrival)
      guard !changes.isEmpty, let runtime = runtimes[id] else { continue }
      reports.append(try await runtime.host.keep(changes, in: next))
    }
    return reports
  }

  private func enter(
    _ next: Partition, from former: UserSession, _ adopters: Set<ProviderID>,
    _ reports: [CommitReport]
  ) async {
    let userSession = dependencies.currentUser.move(
      into: next, adopting: adopters.isEmpty ? nil : former.partition.id, for: adopters)
    do throws(EngagementError) {
      try await feedPublisher.enter(userSession)
      // Rows that were accepted for the anonymous user during the change.
      if !adopters.isEmpty {
        let late = try await anonymousStays.adopt(former.partition, into: next, for: adopters)
        await dependencies.commitPublisher.publish(late, of: next)
      }
      // The person's states tell of the vendors from now on.
      if former.user.isAnonymous, former.partition != next {
        try await dependencies.store.endRegistrations(
          at: nil, in: former.partition, at: dependencies.clock.now)
      }
    } catch {
      // The user is current and sees what is refreshed from now on.
      dependencies.log(.error, "What the cache has of the user could not be read: \(error.code)")
    }
    if !adopters.isEmpty { await sessions.follow() }
    for report in reports { await dependencies.commitPublisher.publish(report, of: next) }
    // Last: work under way may still read the former partition.
    if former.partition != next { await dependencies.store.release(former.partition) }
    outboxSender.wake()
    presentations.follow()
  }

  /// Records that a person was identified. The user has signed in, whether this is recorded or not.
  private func recordSignIn(_ partition: Partition) async {
    do throws(EngagementError) {
      let consent = try await dependencies.store.consent(of: partition)
      guard ConsentPolicy(consent: consent).allows(.identify) else { return }
      try await dependencies.record(dependencies.event(.identify), in: partition)
    } catch {
      dependencies.log(.error, "The sign-in could not be recorded: \(error.code)")
    }
  }

  private func report(of results: Results) -> SignOutReport {
    var report = SignOutReport()
    for provider in dependencies.providers {
      report.providers[provider.id] = results[provider.id]?.report ?? .init()
    }
    return report
  }
}

extension TransitionStep {
  /// What it changes for the next user.
  fileprivate var changesOnArrival: [Change] {
    switch self {
    case .apply(let changes): changes
    case .enter(let operation): [.wanted(operation)]
    case .sendPending, .leave, .adoptPending: []
    }
  }
}

import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore

/// Finds the owner of a push and commits its contents, once in each phase. The push may come from
/// the application or from an extension.
final class PushRouter: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]
  private let sessions: Sessions
  private let plans: @Sendable () -> RoutePlans

  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    sessions: Sessions, plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.dependencies = dependencies
    self.runtimes = runtimes
    self.sessions = sessions
    self.plans = plans
  }

  // MARK: The owner

  /// A push and its owner.
  struct Claim: Sendable {
    let runtime: ProviderRuntime
    let received: Received
    let push: PushLog.Push

    var provider: Provider { runtime.provider }

    /// What the push changes.
    ///
    /// - Parameter speaks: Whether it may change the installation.
    func changes(speakingForInstallation speaks: Bool) -> [Change] {
      (received.changes + received.operations.map(Change.wanted))
        .filter { speaks || !$0.isOfInstallation }
    }
  }

  /// The owner of the push; nil if it is none of the providers.
  func claim(
    _ push: JSON, _ attempt: Attempt, in partition: Partition
  ) async throws(EngagementError) -> Claim? {
    let candidates = PushOwnership.candidates(for: push, among: dependencies.providers) {
      $0.adapter.capabilities.pushMarks
    }
    for provider in candidates {
      guard let runtime = runtimes[provider.id] else { continue }
      let context = try await runtime.host.context(attempt, in: partition)
      guard let received = provider.adapter.received(push, in: context) else { continue }
      return Claim(
        runtime: runtime, received: received,
        push: PushLog.Push(push, received.notification, of: provider.id))
    }
    return nil
  }

  // MARK: Contents

  /// The pushes of the partition that were handled so far.
  func handled(in partition: Partition) async throws(EngagementError) -> PushLog {
    PushLog(try await dependencies.store.memory(of: KitState.owner, in: partition))
  }

  /// The changes to commit for the push in the phase of the event; nil if they were committed
  /// before. Called in the transaction that commits them.
  ///
  /// The contents of a push are committed in its first phase. That can be `opened`, since an
  /// application that does not run receives no push.
  func incoming(
    _ claim: Claim, _ event: EngagementEvent, in partition: Partition, by rule: ConsentPolicy,
    speakingForInstallation speaks: Bool, _ handled: inout PushLog
  ) -> IncomingChanges? {
    guard let news = handled.note(claim.push, event) else { return nil }
    var incoming = IncomingChanges(in: partition, from: claim.provider.id)
    if news == .contents, event.kind != .pushDropped {
      incoming.changes = claim.changes(speakingForInstallation: speaks)
    }
    if rule.allows(event.kind) { incoming.intents = [intent(for: event, about: claim)] }
    incoming.kept = [.keep(.user, PushLog.name, handled.json.text)]
    return incoming
  }

  /// The event about the push, with a row for its vendor if the vendor takes such events.
  private func intent(for event: EngagementEvent, about claim: Claim) -> Intent {
    var event = event
    event.provider = claim.provider.id
    let notification = claim.received.notification
    event.item = notification.reference(at: claim.provider.id)
    let isHeard =
      event.item != nil && claim.provider.takes(event.kind)
      && claim.provider.adapter.capabilities.pushKinds.contains(event.kind)
    return dependencies.intent(for: event, to: isHeard ? [claim.provider] : []) {
      sessions.session(for: $0)?.id
    }
  }

  // MARK: Handling

  /// Handles a push that the application received.
  func receive(
    _ push: JSON, _ phase: PushPhase
  ) async throws(EngagementError) -> PushReception? {
    let userSession = dependencies.currentUser.userSession
    let attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
    guard let claim = try await claim(push, attempt, in: userSession.partition) else { return nil }
    let rule = ConsentPolicy(
      consent: try await dependencies.store.consent(of: userSession.partition))
    if claim.provider.adapter.capabilities.pushKinds.contains(phase.kind) {
      await sessions.touch([claim.provider])
    }
    let memory = try await dependencies.store.memory(of: KitState.owner, in: userSession.partition)
    let isSuperseded = try await isSuperseded(claim, phase, in: userSession.partition, memory)
    let event = dependencies.event(
      isSuperseded ? .pushDropped : phase.kind, at: claim.provider.id,
      in: sessions.session(for: claim.provider.id)?.id)
    var handled = PushLog(memory)
    let news = handled.note(claim.push, event)
    var isRepeated = news == nil
    if let news, rule.consent != .denied {
      isRepeated = try await !commit(
        claim, event, news, in: userSession.partition, under: rule, by: attempt)
    }
    return PushReception(
      provider: claim.provider.id, notification: claim.received.notification,
      isRepeated: isRepeated, isSuperseded: isSuperseded)
  }

  /// Whether another vendor pushes in the place of the push's own one. What the user opens or dismisses was
  /// shown, and is told to its vendor.
  private func isSuperseded(
    _ claim: Claim, _ phase: PushPhase, in partition: Partition, _ memory: ProviderMemory
  ) async throws(EngagementError) -> Bool {
    let (own, plans) = (claim.provider.id, plans())
    guard phase == .delivered, !plans.lead(to: own, for: .push),
      MigrationRecord.hasMoved(.push, from: own, in: memory)
    else { return false }
    return try await dependencies.pushStates(of: partition).contains {
      $0.provider != own && $0.hasToken && plans.lead(to: $0.provider, for: .push)
    }
  }

  /// Commits the push. False if it was handled since it was looked up, perhaps by another process.
  private func commit(
    _ claim: Claim, _ event: EngagementEvent, _ news: PushLog.News, in partition: Partition,
    under rule: ConsentPolicy, by attempt: Attempt
  ) async throws(EngagementError) -> Bool {
    let committed = try await dependencies.currentUser.committing(
      by: attempt, for: claim.provider.id
    ) {
      (_, speaks) async throws(EngagementError) in
      if news == .contents, event.kind != .pushDropped {
        try await self.dependencies.providerSecrets.keep(
          claim.changes(speakingForInstallation: speaks), of: claim.provider.id,
          for: partition.user)
      }
      return try await self.dependencies.store.commit(
        of: KitState.owner, in: partition, at: self.dependencies.clock.now
      ) { [self] (memory) throws(EngagementError) in
        var handled = PushLog(try memory(partition))
        let incoming = incoming(
          claim, event, in: partition, by: rule, speakingForInstallation: speaks, &handled)
        return IncomingBatch([incoming].compactMap(\.self))
      }
    }
    for (report, partition) in committed.reports {
      await claim.runtime.host.publish(report, of: partition)
    }
    return !committed.batch.entries.isEmpty
  }
}

extension PushNotification {
  /// The message, or the card that the push is about; nil if it names neither.
  fileprivate func reference(at provider: ProviderID) -> ItemReference? {
    if let id = messageID ?? campaignID {
      return ItemReference(ItemID(provider, id), on: .push, handle: handle)
    }
    return itemID.map {
      ItemReference(ItemID(provider, $0), on: .cards, in: containerID, handle: handle)
    }
  }
}

extension JSON {
  fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}

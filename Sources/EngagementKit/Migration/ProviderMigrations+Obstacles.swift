import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementStore

extension ProviderMigrations {
  /// Where the routes lead the present user. Nothing is kept of that.
  func plans(of routes: Routes) async throws(EngagementError) -> RoutePlans {
    try await feedPublisher.plans(
      of: routes, for: dependencies.currentUser.userSession.partition)
  }

  /// Why pushes stay unless the step is forced: the provider that is to push next is known not to answer, or
  /// did not take the token, while the other one has it; or the old provider still has it and is to be
  /// removed. Nil if nothing is known, or if the stage does not move the person. Nothing is sent.
  func outage(
    before stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) async throws(EngagementError) -> String? {
    // A route that cannot hold is told where it is set.
    guard record.surface == .push, let next = try? routes(at: stage, of: record, in: memory) else {
      return nil
    }
    if stage.kind == .removed {
      return try await tokenRemainder(of: record)?.refusal(of: record)
    }
    let states = try await dependencies.pushStates(
      of: dependencies.currentUser.userSession.partition)
    let isForwards = stage.order > record.stage.order
    let (former, coming) =
      isForwards
      ? (record.plan.from, record.plan.to) : (record.plan.to, record.plan.from)
    let present = routeStore.read(memory).routes
    guard try await !plans(of: present).lead(to: coming, for: .push),
      try await plans(of: next).lead(to: coming, for: .push),
      states.contains(where: { $0.provider != coming && $0.isHeld }),
      !states.contains(where: { $0.provider == coming && $0.hasToken })
    else { return nil }
    let start = "push stays at \(record.stage.words): \"\(coming)\" "
    let end =
      ", or force the step with a reason. \"\(former)\" keeps the token until \"\(coming)\" has taken it."
    for case .failed(_, let reason) in states.filter({ $0.provider == coming }).map(\.phase) {
      let sentence = reason.hasSuffix(".") ? reason : reason + "."
      return start + "did not take the token: \(sentence) Mend that first\(end)"
    }
    guard let silence = try await silence(of: coming, in: memory) else { return nil }
    return start + "\(silence). Refresh when it answers again\(end)"
  }

  /// What the old provider still has of pushes; nil for nothing.
  func tokenRemainder(
    of record: MigrationRecord
  ) async throws(EngagementError) -> TokenRemainder? {
    let from = record.plan.from
    let partition = dependencies.currentUser.userSession.partition
    let states = try await dependencies.pushStates(of: partition)
    let kept = states.first { $0.provider == from && $0.phase != .unregistered }
    guard let kept else {
      return try await dependencies.store.hasPushTokens(at: from, ofOthersThan: partition)
        ? .ofOthers : nil
    }
    guard let provider = dependencies.providers.first(where: { $0.id == from }) else {
      return .atMissingProvider
    }
    guard provider.adapter.capabilities.ability(.unregisterPush).travel != .unsupported else {
      return .withoutRequest
    }
    if case .failed(_, let reason) = kept.phase { return .refused(reason) }
    return .waiting(isTaken: states.contains { $0.provider == record.plan.to && $0.hasToken })
  }

  // MARK: Without a way on

  /// Throws `conflict` if another surface has to move first or a container is still shown by the old
  /// provider, and `invalidConfiguration` if a provider of the plan is gone: no force helps.
  func checkObstacles(
    before stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) throws(EngagementError) {
    try checkProviders(of: record)
    try record.checkOrder(stage, in: memory)
    try checkContainers(before: stage, of: record, in: memory)
  }

  /// The provider of the plan that has left the configuration; nil if both are there.
  func missingProvider(of record: MigrationRecord) -> ProviderID? {
    [record.plan.from, record.plan.to].first { id in
      !dependencies.providers.contains { $0.id == id }
    }
  }

  /// Throws `invalidConfiguration` if a provider of the plan has left the configuration.
  func checkProviders(of record: MigrationRecord) throws(EngagementError) {
    guard let missing = missingProvider(of: record) else { return }
    throw .configurationFault(
      "\"\(missing)\" is not configured any more, and \(record.surface.rawValue) is at "
        + "\(record.stage.words) of a move from \"\(record.plan.from)\" to \"\(record.plan.to)\": "
        + (record.stage.kind == .off
          ? "put it back, or forget the migration."
          : "put it back, take the migration back to off, or forget it."))
  }

  /// Throws `conflict` if a container's own route still leads to the provider that is to be removed.
  private func checkContainers(
    before stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) throws(EngagementError) {
    guard stage.kind == .removed, record.surface == .cards else { return }
    let routes = routeStore.read(memory).routes.containers
    let container = routes.filter { $0.value.parts.everyone.contains(record.plan.from) }.map(\.key)
      .min()
    guard let container else { return }
    throw EngagementError(
      .conflict,
      "cards stays at \(record.stage.words): the container \"\(container)\" has a route of its own to "
        + "\"\(record.plan.from)\"; set or reset that route first.")
  }

  private func routes(
    at stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) throws(EngagementError) -> Routes {
    try routeStore.routes(
      routeStore.read(memory).routes, with: route(at: stage, of: record, in: memory),
      at: .surface(record.surface))
  }

  /// The route of the surface at a stage; nil for the one before the migration, where none was set.
  func route(
    at stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) throws(EngagementError) -> Route? {
    guard stage.kind != .off else {
      // A former route that has lost a provider cannot hold: then the configured one does.
      let isWhole = (record.former?.providers ?? []).allSatisfy { id in
        dependencies.providers.contains { $0.id == id }
      }
      return isWhole ? record.former : nil
    }
    let routes = try MigrationRoutes(
      from: record.plan.from, to: record.plan.to, record.surface,
      former: formerRoute(of: record.surface, in: memory), among: dependencies.providers)
    return try routes.route(at: stage)
  }

  /// What is known of a provider that does not answer: by its last requests for content, by actions that
  /// were tried and still wait, and by the breakers of routes with a fail-over.
  private func silence(
    of provider: ProviderID, in memory: ProviderMemory
  ) async throws(EngagementError) -> String? {
    let failures = RefreshFailures.Failure.all(in: memory).filter {
      $0.provider == provider && $0.error.code.isOutage
    }
    let partition = dependencies.currentUser.userSession.partition
    let rule = ConsentPolicy(consent: try await dependencies.store.consent(of: partition))
    let tried = try await dependencies.store.pending(for: provider, in: partition, limit: 100)
      .filter { $0.attempts > 0 && rule.allowsSending($0) }
    if let first = (failures.compactMap(\.since) + tried.map(\.acceptedAt)).min() {
      return "has not answered since \(ISO8601.text(of: first) ?? "\(first)")"
    }
    let isBroken = routeStore.failOvers(memory).values.contains { $0.isOpen(provider) }
    return isBroken || !failures.isEmpty ? "does not answer" : nil
  }
}

extension EngagementError.Code {
  /// Whether it says that the vendor did not answer, or not in a way that can be read.
  fileprivate var isOutage: Bool {
    [.unavailable, .deadlineExceeded, .malformedResponse].contains(self)
  }
}

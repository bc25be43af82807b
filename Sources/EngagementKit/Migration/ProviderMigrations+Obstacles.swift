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

  /// Why pushes cannot move to the stage: the old provider would give the token back, and the new one is
  /// known not to answer. Nil if it is not, or if the stage does not move the person. Nothing is sent.
  func outage(
    before stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) async throws(EngagementError) -> String? {
    // A route that cannot hold is told where it is set.
    guard record.surface == .push, let next = try? routes(at: stage, of: record, in: memory) else {
      return nil
    }
    let (from, to) = (record.plan.from, record.plan.to)
    let present = routeStore.read(memory).routes
    guard try await !plans(of: present).lead(to: to, for: .push),
      try await plans(of: next).lead(to: to, for: .push),
      let silence = try await silence(of: to, in: memory)
    else { return nil }
    return
      "push stays at \(record.stage.words): \"\(to)\" \(silence). \"\(from)\" would give the token back, and "
      + "\"\(to)\" could not take it: refresh when it answers again, or force the step with a reason."
  }

  private func routes(
    at stage: Engagement.MigrationStage, of record: MigrationRecord, in memory: ProviderMemory
  ) throws(EngagementError) -> Routes {
    let routes = try MigrationRoutes(
      from: record.plan.from, to: record.plan.to, record.surface,
      former: formerRoute(of: record.surface, in: memory), among: dependencies.providers)
    return try routeStore.routes(
      routeStore.read(memory).routes, with: try routes.route(at: stage),
      at: .surface(record.surface))
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

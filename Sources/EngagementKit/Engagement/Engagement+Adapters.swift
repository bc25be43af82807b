package import EngagementAdapterAPI
package import EngagementModel
import EngagementStore

/// What the laws need to try adapters, beyond what an application can ask for.
extension Engagement {
  /// Executes one operation at a provider's vendor as the current user, without the outbox.
  package func execute(
    _ operation: Operation, with provider: ProviderID
  ) async -> OperationRunner.Outcome {
    guard let runtime = runtimes[provider] else { return .refused(unknown(provider)) }
    return await runtime.runner.execute(operation, attempt()).outcome
  }

  /// Sends what waits for a provider as the present user, until nothing is left that can be sent
  /// now.
  package func deliver(to provider: ProviderID, within limit: Duration = .seconds(5)) async {
    _ = await outboxSender.drain(provider, as: dependencies.currentUser.present, within: limit)
  }

  /// How many operations wait for what another of them has to do first.
  package func waiting(for provider: ProviderID) -> Int {
    runtimes[provider]?.runner.singleFlight.waiting ?? 0
  }

  /// All that the provider's adapter may know now.
  package func context(
    of provider: ProviderID
  ) async throws(EngagementError) -> AdapterContext {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    return try await runtime.host.context(attempt(), in: dependencies.currentUser.present.partition)
  }

  /// Asks the application for a credential of the present user in place of the one that is known,
  /// as a provider's live channel may want. Throws `unauthenticated` if there is no other.
  package func renewCredential(of provider: ProviderID) async throws(EngagementError) {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    let attempt = attempt()
    try await runtime.host.renewCredential(
      replacing: credentialCache.credential(for: provider, attempt.user), for: attempt)
  }

  /// Commits what a provider's live channel brought for the present user.
  package func commit(
    _ changes: [Change], from provider: ProviderID
  ) async throws(EngagementError) {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    try await runtime.host.commit(changes, by: attempt())
  }

  /// The campaigns of a provider's feed that the present user has.
  package func campaigns(
    in feed: Feed, of provider: ProviderID
  ) async throws(EngagementError) -> [Campaign] {
    try await dependencies.store.campaigns(
      in: FeedKey(provider, feed), of: dependencies.currentUser.present.partition,
      at: dependencies.clock.now
    ).items
  }

  /// The present user's part of the ledger.
  package func events() async throws(EngagementError) -> [EngagementEvent] {
    let partition = dependencies.currentUser.present.partition
    return try await dependencies.store.entries(after: 0, limit: 100_000, in: partition).map(
      \.event)
  }

  /// A new attempt by the current user.
  private func attempt() -> Attempt {
    let userSession = dependencies.currentUser.present
    return Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
  }

  private func unknown(_ provider: ProviderID) -> EngagementError {
    EngagementError(.notFound, "There is no provider of this name.", provider: provider)
  }
}

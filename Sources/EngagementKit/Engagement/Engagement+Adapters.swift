package import EngagementAdapterAPI
package import EngagementModel
import EngagementStore

/// What the laws and the command line need, beyond the application's interface.
extension Engagement {
  /// Executes one operation at a provider's vendor as the current user, without the outbox.
  package func execute(
    _ operation: Operation, with provider: ProviderID, isUserRequested: Bool = false
  ) async -> OperationRunner.Outcome {
    guard let runtime = runtimes[provider] else { return .refused(unknown(provider)) }
    var attempt = attempt()
    attempt.isUserRequested = isUserRequested
    return await runtime.runner.execute(operation, attempt).outcome
  }

  /// Sends the current user's pending rows for a provider, until nothing is left that can be sent
  /// now.
  package func deliver(to provider: ProviderID, within limit: Duration = .seconds(5)) async {
    _ = await outboxSender.drain(provider, as: dependencies.currentUser.userSession, within: limit)
  }

  /// How many actions of the current user were rejected since this was opened, and why the last one
  /// was, for each provider where any was.
  package var rejections: [ProviderID: (count: Int, last: EngagementError)] {
    outboxSender.rejections(of: dependencies.currentUser.userSession.partition)
  }

  /// How many operations wait for a prerequisite or a renewal that another operation executes.
  package func waiting(for provider: ProviderID) -> Int {
    runtimes[provider]?.runner.singleFlight.waiting ?? 0
  }

  /// The context that the provider's adapter would get now.
  package func context(
    of provider: ProviderID
  ) async throws(EngagementError) -> AdapterContext {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    return try await runtime.host.context(
      attempt(), in: dependencies.currentUser.userSession.partition)
  }

  /// The settings that a provider's vendor last answered with.
  package func settings(
    of provider: ProviderID
  ) async throws(EngagementError) -> VendorSettings {
    try await dependencies.store.memory(
      of: provider, in: dependencies.currentUser.userSession.partition
    ).settings
  }

  /// Asks the application for another credential of the current user, as a live channel does.
  /// Throws `unauthenticated` if there is none.
  package func renewCredential(of provider: ProviderID) async throws(EngagementError) {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    let attempt = attempt()
    try await runtime.host.renewCredential(
      replacing: credentialCache.credential(for: provider, attempt.user), for: attempt)
  }

  /// Commits changes that a provider's live channel brought for the current user.
  package func commit(
    _ changes: [Change], from provider: ProviderID
  ) async throws(EngagementError) {
    guard let runtime = runtimes[provider] else { throw unknown(provider) }
    try await runtime.host.commit(changes, by: attempt())
  }

  /// Whether every live channel waits for what happens next. A socket may still have something for it.
  package var hasIdleLiveChannels: Bool { liveChannels.isIdle }

  /// The current user's campaigns in a provider's feed.
  package func campaigns(
    in feed: Feed, of provider: ProviderID
  ) async throws(EngagementError) -> [Campaign] {
    try await dependencies.store.campaigns(
      in: FeedKey(provider, feed), of: dependencies.currentUser.userSession.partition,
      at: dependencies.clock.now
    ).items
  }

  /// The current user's events in the ledger.
  package func events() async throws(EngagementError) -> [EngagementEvent] {
    let partition = dependencies.currentUser.userSession.partition
    return try await dependencies.store.entries(after: 0, limit: 100_000, in: partition).map(
      \.event)
  }

  /// A new attempt by the current user.
  private func attempt() -> Attempt {
    let userSession = dependencies.currentUser.userSession
    return Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
  }

  private func unknown(_ provider: ProviderID) -> EngagementError {
    EngagementError(.notFound, "There is no provider of this name.", provider: provider)
  }
}

extension EngagementError {
  /// Whether the cache was replaced by another process and must be opened again.
  package var isOfReplacedCache: Bool { isReplacedCache }
}

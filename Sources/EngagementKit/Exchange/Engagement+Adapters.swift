package import EngagementAdapterAPI
package import EngagementModel
import EngagementStore

/// What those need who try adapters, beyond what an application can ask for.
extension Engagement {
  /// Carries one operation to a provider's vendor as the present user, past the outbox: also one
  /// that no application can ask for by itself.
  package func exchange(
    _ operation: Operation, with provider: ProviderID
  ) async -> Exchange.Outcome {
    guard let exchange = exchanges[provider] else { return .refused(unknown(provider)) }
    return await exchange.perform(operation, attempt())
  }

  /// Sends what waits for a provider as the present user, until nothing is left that can be sent
  /// now.
  package func deliver(to provider: ProviderID, within limit: Duration = .seconds(5)) async {
    _ = await courier.drain(provider, as: house.occupancy.present, within: limit)
  }

  /// How many operations wait for what another of them has to do first.
  package func waiting(for provider: ProviderID) -> Int {
    exchanges[provider]?.flights.waiting ?? 0
  }

  /// All that the provider's adapter may know now.
  package func context(
    of provider: ProviderID
  ) async throws(EngagementError) -> AdapterContext {
    guard let own = houses[provider] else { throw unknown(provider) }
    return try await own.context(attempt(), in: house.occupancy.present.partition)
  }

  /// Commits what a provider's live channel brought for the present user.
  package func commit(
    _ changes: [Change], from provider: ProviderID
  ) async throws(EngagementError) {
    guard let own = houses[provider] else { throw unknown(provider) }
    try await own.commit(changes, by: attempt())
  }

  /// The campaigns of a provider's feed that the present user has.
  package func campaigns(
    in feed: Feed, of provider: ProviderID
  ) async throws(EngagementError) -> [Campaign] {
    try await house.store.campaigns(
      in: FeedKey(provider, feed), of: house.occupancy.present.partition, at: house.clock.now
    ).items
  }

  /// The present user's part of the ledger.
  package func events() async throws(EngagementError) -> [EngagementEvent] {
    let partition = house.occupancy.present.partition
    return try await house.store.entries(after: 0, limit: 100_000, in: partition).map(\.event)
  }

  /// A new attempt by whoever is present.
  private func attempt() -> Attempt {
    let occupant = house.occupancy.present
    return Attempt(
      by: occupant.user, house.key(), acceptedAt: house.clock.now, generation: occupant.generation)
  }

  private func unknown(_ provider: ProviderID) -> EngagementError {
    EngagementError(.notFound, "There is no provider of this name.", provider: provider)
  }
}

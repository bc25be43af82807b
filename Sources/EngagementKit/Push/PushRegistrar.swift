import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Tells vendors of the installation's push tokens, and that it has given them up.
///
/// One registration or change of the route at a time, over all processes of the cache: else a vendor
/// could get a token while its route ends.
final class PushRegistrar: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderID: ProviderRuntime]

  init(_ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime]) {
    self.dependencies = dependencies
    self.runtimes = runtimes
  }

  /// Runs the body. Meanwhile no other call, in any process, registers a token or changes the route.
  func inTurn<Value: Sendable>(
    _ body: () async throws(EngagementError) -> Value
  ) async throws(EngagementError) -> Value {
    let result = try await dependencies.store.excluding("push", within: .seconds(30)) {
      () -> Result<Value, EngagementError> in
      do throws(EngagementError) { return .success(try await body()) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// What a change of the route tells the vendors that join and leave.
  struct HandOver: Sendable {
    var deliveries: [Intent.Delivery] = []
    /// The vendors that leave and have no request to give a token back.
    fileprivate var deaf: [ProviderRuntime] = []
  }

  /// Makes ready what vendors are told that join or leave the route. Tokens of those that leave are kept
  /// until they have been told.
  func handOver(
    from former: RoutePlans, to next: RoutePlans, as userSession: UserSession
  ) async throws(EngagementError) -> HandOver {
    var handOver = HandOver()
    let tokens = try await dependencies.providerSecrets.push()
    for provider in dependencies.providers {
      guard let runtime = runtimes[provider.id], runtime.supports(.registerPush),
        former.lead(to: provider.id, for: .push) != next.lead(to: provider.id, for: .push)
      else { continue }
      let joins = next.lead(to: provider.id, for: .push)
      if !joins, !runtime.supports(.unregisterPush), !tokens.isEmpty {
        handOver.deaf.append(runtime)
        continue
      }
      // Without consent a registration waits for it, as the outbox does with any other.
      guard !joins || provider.serves(userSession.user) else { continue }
      for environment in PushEnvironment.allCases where tokens[environment] != nil {
        let delivery = Intent.Delivery(
          to: provider.id,
          .operation(joins ? .registerPush(environment) : .unregisterPush(environment)),
          key: dependencies.key())
        if !joins {
          try await dependencies.tokensToUnregister.retire(environment, for: [delivery.key])
        }
        handOver.deliveries.append(delivery)
      }
    }
    return handOver
  }

  /// Ends a change of the route that was not committed.
  func takeBack(_ handOver: HandOver) async {
    await dependencies.tokensToUnregister.forget(handOver.deliveries.map(\.key))
  }

  /// Ends a change of the route that was committed.
  func finish(_ handOver: HandOver, as userSession: UserSession) async throws(EngagementError) {
    for runtime in handOver.deaf { try await runtime.noteToken(by: userSession) }
  }
}

extension KitDependencies {
  /// The vendors that were told of the user's tokens and have not confirmed that they let go of them;
  /// none for a user whom another process has erased.
  ///
  /// - Parameter environment: Of tokens of this environment; nil: of any.
  func tokenHolders(
    in partition: Partition, _ environment: PushEnvironment? = nil
  ) async throws(EngagementError) -> Set<ProviderID> {
    do throws(EngagementError) {
      let states = try await store.pushStates(of: partition).filter {
        $0.phase != .unregistered && $0.environment == environment ?? $0.environment
      }
      return Set(states.map(\.provider))
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }
}

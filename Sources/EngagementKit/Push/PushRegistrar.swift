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
      for environment in PushEnvironment.allCases {
        guard let token = tokens[environment] else { continue }
        guard !joins else {
          handOver.deliveries.append(
            delivery(of: .registerPush(environment), to: provider.id))
          continue
        }
        let replaced = try await dependencies.replacedTokens(
          environment, at: provider.id, in: userSession.partition)
        for token in replaced.filter({ $0 != token }) + [token] {
          let delivery = delivery(of: .unregisterPush(environment), to: provider.id)
          try await dependencies.tokensToUnregister.retire(token, for: [delivery.key])
          handOver.deliveries.append(delivery)
        }
      }
    }
    return handOver
  }

  private func delivery(of operation: Operation, to provider: ProviderID) -> Intent.Delivery {
    Intent.Delivery(to: provider, .operation(operation), key: dependencies.key())
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
  /// The vendors that were told of the user's tokens and have not confirmed that they let go of them.
  ///
  /// - Parameter environment: Of tokens of this environment; nil: of any.
  func tokenHolders(
    in partition: Partition, _ environment: PushEnvironment? = nil
  ) async throws(EngagementError) -> Set<ProviderID> {
    let states = try await pushStates(of: partition).filter {
      $0.phase != .unregistered && $0.environment == environment ?? $0.environment
    }
    return Set(states.map(\.provider))
  }

  /// The vendors that have the user's tokens and for which a request waits that takes them back.
  func untold(of partition: Partition) async throws(EngagementError) -> Set<ProviderID> {
    let holders = try await tokenHolders(in: partition)
    var untold: Set<ProviderID> = []
    for provider in providers where holders.contains(provider.id) {
      let capabilities = provider.adapter.capabilities
      let rows = try await store.pending(for: provider.id, in: partition, limit: .max)
      let waits = rows.contains { row in
        guard case .operation(let operation) = row.work else { return false }
        return operation.verb != .optOut && capabilities.isWithdrawal(operation.verb)
      }
      if waits { untold.insert(provider.id) }
    }
    return untold
  }

  /// The tokens that the vendor may still have, since the registrations wait that replace them.
  func replacedTokens(
    _ environment: PushEnvironment, at provider: ProviderID, in partition: Partition
  ) async throws(EngagementError) -> [PushRegistration] {
    let waiting = try await store.pending(for: provider, in: partition, limit: .max)
    var tokens: [PushRegistration] = []
    for row in waiting where row.work == .operation(.registerPush(environment)) {
      let token = try await providerSecrets.retired(for: row.key, environment)
      if let token, !tokens.contains(token) { tokens.append(token) }
    }
    return tokens
  }

  /// What the vendors have of the user's tokens; nothing of a user whom another process has erased.
  func pushStates(of partition: Partition) async throws(EngagementError) -> [PushState] {
    do throws(EngagementError) {
      return try await store.pushStates(of: partition)
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }
}

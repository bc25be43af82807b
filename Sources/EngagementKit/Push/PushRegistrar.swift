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

  /// What vendors are told of the tokens.
  struct HandOver: Sendable {
    var deliveries: [Intent.Delivery] = []
    /// The vendors that are outside the route and have no request to give a token back.
    fileprivate var deaf: [ProviderRuntime] = []

    var isEmpty: Bool { deliveries.isEmpty && deaf.isEmpty }
  }

  /// Whether vendors have to be told of the tokens, by what is known without the rows that wait.
  func isDue(
    by plans: RoutePlans, as userSession: UserSession
  ) async throws(EngagementError) -> Bool {
    let comparison = try await comparison(plans, userSession, retrying: false)
    guard !comparison.tokens.isEmpty else { return false }
    // What waits to be taken back may be wanted again.
    guard dependencies.tokensToUnregister.isEmpty else { return true }
    return takers.contains { runtime in
      PushEnvironment.allCases.contains {
        comparison.step($0, at: runtime.provider, for: userSession.user) != nil
      }
    }
  }

  /// Makes ready what vendors are told so that those of the route have the tokens, and no others. Tokens
  /// that are taken back are kept until their vendors have been told.
  ///
  /// - Parameter retries: Whether vendors are told again that were told in vain.
  func handOver(
    by plans: RoutePlans, as userSession: UserSession, retrying retries: Bool
  ) async throws(EngagementError) -> HandOver {
    var handOver = HandOver()
    var comparison = try await comparison(plans, userSession, retrying: retries)
    guard !comparison.tokens.isEmpty else { return handOver }
    var waiting: [ProviderID: [OutboxRow]] = [:]
    for runtime in takers {
      let rows = try await dependencies.store.pending(
        for: runtime.id, in: userSession.partition, limit: .max)
      waiting[runtime.id] = rows
      let capabilities = runtime.provider.adapter.capabilities
      for environment in PushEnvironment.allCases
      where rows.takeBackToken(of: environment, at: capabilities) {
        comparison.leaving[environment, default: []].insert(runtime.id)
      }
    }
    for runtime in takers {
      let rows = waiting[runtime.id] ?? []
      for environment in PushEnvironment.allCases {
        let replaced = try await dependencies.replacedTokens(
          environment, at: runtime.id, in: userSession.partition)
        let step = comparison.step(
          environment, at: runtime.provider, for: userSession.user,
          waiting: rows.lastVerb(of: environment), replacing: !replaced.isEmpty)
        switch step {
        case nil: break
        case .offer?:
          handOver.deliveries.append(delivery(of: .registerPush(environment), to: runtime.id))
        case .takeBack? where runtime.supports(.unregisterPush):
          handOver.deliveries += try await takingBack(
            comparison.tokens[environment], at: runtime.id, in: userSession.partition)
        case .takeBack?: handOver.deaf.append(runtime)
        }
      }
    }
    return handOver
  }

  private var takers: [ProviderRuntime] {
    dependencies.providers.compactMap { runtimes[$0.id] }.filter { $0.supports(.registerPush) }
  }

  private func comparison(
    _ plans: RoutePlans, _ userSession: UserSession, retrying retries: Bool
  ) async throws(EngagementError) -> TokenComparison {
    let holdings = try await dependencies.pushHoldings(of: userSession.partition)
    let tokens = try await dependencies.providerSecrets.push()
    var offers = true
    // Who has signed out has no token anywhere, unless the application registered it again.
    if userSession.user.isAnonymous, !tokens.isEmpty, !holdings.contains(where: \.state.isHeld) {
      offers = try await !AnonymousStays(dependencies).followsPerson(userSession.partition)
    }
    let consent = try await dependencies.store.consent(of: userSession.partition)
    let mayRegister = ConsentPolicy(consent: consent).allowsSending(.registerPush)
    let successors = takers.filter {
      mayRegister && plans.lead(to: $0.id, for: .push) && $0.provider.serves(userSession.user)
    }
    return TokenComparison(
      plans: plans, tokens: tokens, holdings: holdings, retries: retries, offers: offers,
      successors: Set(successors.map(\.id)))
  }

  /// Makes ready that vendors outside the route give back a token that is about to be replaced: it is worth
  /// nothing to anybody then.
  func givingUp(
    _ environment: PushEnvironment, by plans: RoutePlans, as userSession: UserSession
  ) async throws(EngagementError) -> HandOver {
    var handOver = HandOver()
    let holders = try await dependencies.tokenHolders(in: userSession.partition, environment)
    guard let token = try await dependencies.providerSecrets.push()[environment] else {
      return handOver
    }
    for runtime in takers
    where holders.contains(runtime.id) && !plans.lead(to: runtime.id, for: .push)
      && runtime.supports(.unregisterPush)
    {
      let rows = try await dependencies.store.pending(
        for: runtime.id, in: userSession.partition, limit: .max)
      guard rows.lastVerb(of: environment) != .unregisterPush else { continue }
      handOver.deliveries += try await takingBack(
        token, at: runtime.id, in: userSession.partition)
    }
    return handOver
  }

  /// Accepts a hand-over, which nothing else is committed with.
  func accept(
    _ handOver: HandOver, as userSession: UserSession
  ) async throws(EngagementError) {
    guard !handOver.isEmpty else { return }
    do throws(EngagementError) {
      try await dependencies.accept(
        [Intent(deliveries: handOver.deliveries)], in: userSession.partition)
    } catch {
      await takeBack(handOver)
      throw error
    }
    try await finish(handOver, as: userSession)
  }

  private func takingBack(
    _ token: PushRegistration?, at provider: ProviderID, in partition: Partition
  ) async throws(EngagementError) -> [Intent.Delivery] {
    guard let token else { return [] }
    let replaced = try await dependencies.replacedTokens(
      token.environment, at: provider, in: partition)
    var deliveries: [Intent.Delivery] = []
    for token in replaced.filter({ $0 != token }) + [token] {
      let delivery = delivery(of: .unregisterPush(token.environment), to: provider)
      try await dependencies.tokensToUnregister.retire(token, for: [delivery.key])
      deliveries.append(delivery)
    }
    return deliveries
  }

  private func delivery(of operation: Operation, to provider: ProviderID) -> Intent.Delivery {
    Intent.Delivery(to: provider, .operation(operation), key: dependencies.key())
  }

  /// Ends a hand-over that was not committed.
  func takeBack(_ handOver: HandOver) async {
    await dependencies.tokensToUnregister.forget(handOver.deliveries.map(\.key))
  }

  /// Ends a hand-over that was committed.
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
    let states = try await pushHoldings(of: partition).map(\.state).filter {
      $0.phase != .unregistered && $0.environment == environment ?? $0.environment
    }
    return Set(states.map(\.provider))
  }

  /// The vendors that have, or may have, tokens of any other user.
  func holdersOfOthers(
    than partition: Partition
  ) async throws(EngagementError) -> Set<ProviderID> {
    var holders: Set<ProviderID> = []
    for provider in providers
    where try await store.hasPushTokens(at: provider.id, ofOthersThan: partition) {
      holders.insert(provider.id)
    }
    return holders
  }

  /// The vendors that have the user's tokens and for which a request waits that takes them back.
  func untold(of partition: Partition) async throws(EngagementError) -> Set<ProviderID> {
    let states = try await pushStates(of: partition)
    return Set(states.filter(\.isBeingTakenBack).map(\.provider))
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
    var rows: [ProviderID: [OutboxRow]] = [:]
    var states: [PushState] = []
    for state in try await pushHoldings(of: partition).map(\.state) {
      let provider = providers.first { $0.id == state.provider }
      guard state.phase != .unregistered, let provider else {
        states.append(state)
        continue
      }
      let waiting =
        if let known = rows[provider.id] { known } else {
          try await store.pending(for: provider.id, in: partition, limit: .max)
        }
      rows[provider.id] = waiting
      states.append(
        PushState(
          state.provider, state.environment, state.phase, changedAt: state.changedAt,
          isBeingTakenBack: waiting.takeBackToken(
            of: state.environment, at: provider.adapter.capabilities)))
    }
    return states
  }

  /// The same, by what is known without the requests that wait.
  func pushHoldings(
    of partition: Partition
  ) async throws(EngagementError) -> [PushHolding] {
    do throws(EngagementError) {
      return try await store.pushHoldings(of: partition)
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }
}

extension [OutboxRow] {
  /// Whether one of them takes the environment's token back, or whatever the vendor has of the device.
  fileprivate func takeBackToken(
    of environment: PushEnvironment, at capabilities: AdapterCapabilities
  ) -> Bool {
    contains { row in
      switch row.work {
      case .operation(.unregisterPush(let other)): other == environment
      case .operation(let operation):
        operation.verb != .optOut && capabilities.isWithdrawal(operation.verb)
      case _: false
      }
    }
  }

  /// The last operation among them about the environment's token.
  fileprivate func lastVerb(of environment: PushEnvironment) -> Operation.Verb? {
    last {
      $0.work == .operation(.registerPush(environment))
        || $0.work == .operation(.unregisterPush(environment))
    }.flatMap { row in
      if case .operation(let operation) = row.work { operation.verb } else { nil }
    }
  }
}

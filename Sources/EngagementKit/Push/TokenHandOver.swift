import EngagementAdapterAPI
import EngagementModel

/// The push tokens of the installation at a change of user. Every vendor of the next user's route gets
/// them, and one that has or may have them and that only the former user's arm in an experiment led to, or no
/// route any more, gives them back.
struct TokenHandOver: Sendable {
  private let former: RoutePlans
  private let next: RoutePlans
  private let environments: [PushEnvironment]
  /// What the vendors have, or may have, of the former user's tokens.
  private let held: [PushState]

  init(
    from former: RoutePlans, to next: RoutePlans, holding held: [PushState],
    _ secrets: ProviderSecrets
  ) async throws(EngagementError) {
    (self.former, self.next) = (former, next)
    self.held = held.filter { $0.phase != .unregistered }
    let tokens = try await secrets.push()
    environments = PushEnvironment.allCases.filter { tokens[$0] != nil }
  }

  /// What a vendor wants done, with what follows for the tokens.
  ///
  /// A person's vendor is told of each token, since an adapter may wait for the application to register
  /// it. A vendor that knows the anonymous user and the next one as the same has it already.
  func completed(
    _ steps: [TransitionStep], at provider: Provider, for user: User, adopting mayAdopt: Bool
  ) -> [TransitionStep] {
    let hadTokens =
      former.lead(to: provider.id, for: .push) || held.contains { $0.provider == provider.id }
    guard next.lead(to: provider.id, for: .push) else {
      return hadTokens ? givingBack(steps, at: provider) : steps
    }
    let steps = hadTokens ? steps : steps.filter { !$0.unregistersPush }
    guard provider.adapter.capabilities.ability(.registerPush).travel == .request,
      provider.serves(user), !hadTokens || !user.isAnonymous
    else { return steps }
    let isSame = mayAdopt && steps.contains(.adoptPending) && !steps.contains(where: \.isFarewell)
    let offered = environments.filter { !isSame || !isHeld($0, at: provider.id) }
      .map { TransitionStep.enter(.registerPush($0)) }
    return steps + offered.filter { !steps.contains($0) }
  }

  private func isHeld(_ environment: PushEnvironment, at provider: ProviderID) -> Bool {
    held.contains { $0.provider == provider && $0.environment == environment && $0.isHeld }
  }

  /// Before the former user leaves, the vendor gives the tokens back.
  private func givingBack(
    _ steps: [TransitionStep], at provider: Provider
  ) -> [TransitionStep] {
    guard provider.adapter.capabilities.ability(.unregisterPush).travel == .request else {
      return steps
    }
    let new = environments.map { TransitionStep.leave(.unregisterPush($0)) }
    var steps = steps
    steps.insert(
      contentsOf: new.filter { !steps.contains($0) },
      at: steps.firstIndex { !$0.isOfFormerUser } ?? steps.endIndex)
    return steps
  }
}

extension TransitionStep {
  fileprivate var unregistersPush: Bool {
    if case .leave(let operation) = self { operation.verb == .unregisterPush } else { false }
  }

  fileprivate var isFarewell: Bool {
    if case .leave = self { true } else { false }
  }

  /// Whether the step is done before the former user has left.
  var isOfFormerUser: Bool {
    switch self {
    case .sendPending, .leave: true
    case .adoptPending, .enter, .apply: false
    }
  }
}

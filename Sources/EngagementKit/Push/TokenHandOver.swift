import EngagementAdapterAPI
import EngagementModel

/// The push tokens of the installation at a change of user, where the arms of the two users in an
/// experiment lead pushes to different vendors.
struct TokenHandOver: Sendable {
  private let former: RoutePlans
  private let next: RoutePlans
  private var environments: [PushEnvironment] = []

  init(
    from former: RoutePlans, to next: RoutePlans, _ secrets: ProviderSecrets
  ) async throws(EngagementError) {
    self.former = former
    self.next = next
    guard former[.push]?.shown != next[.push]?.shown else { return }
    let tokens = try await secrets.push()
    environments = PushEnvironment.allCases.filter { tokens[$0] != nil }
  }

  /// What a vendor wants done, with what follows from the arms: the vendor of the former user's arm gives
  /// the tokens back before that user leaves, and that of the next one's arm gets them.
  func completed(
    _ steps: [TransitionStep], at provider: Provider, for user: User
  ) -> [TransitionStep] {
    let hadTokens = former.lead(to: provider.id, for: .push)
    guard hadTokens != next.lead(to: provider.id, for: .push) else { return steps }
    let new = environments.map {
      hadTokens ? TransitionStep.leave(.unregisterPush($0)) : .enter(.registerPush($0))
    }.filter { !steps.contains($0) }
    let capabilities = provider.adapter.capabilities
    guard hadTokens else {
      let mayRegister =
        capabilities.ability(.registerPush).travel == .request && provider.serves(user)
      return steps.filter { !$0.unregistersPush } + (mayRegister ? new : [])
    }
    guard capabilities.ability(.unregisterPush).travel == .request else { return steps }
    var steps = steps
    steps.insert(
      contentsOf: new, at: steps.firstIndex { !$0.isOfFormerUser } ?? steps.endIndex)
    return steps
  }
}

extension TransitionStep {
  fileprivate var unregistersPush: Bool {
    if case .leave(let operation) = self { operation.verb == .unregisterPush } else { false }
  }

  /// Whether the step is done before the former user has left.
  fileprivate var isOfFormerUser: Bool {
    switch self {
    case .sendPending, .leave: true
    case .adoptPending, .enter, .apply: false
    }
  }
}

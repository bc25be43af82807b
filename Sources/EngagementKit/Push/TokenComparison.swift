import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Compares what the vendors have of a user's push tokens with the route of pushes: the vendors of the
/// route are to have the tokens, and no others. A vendor that leaves keeps a token until one of the route
/// has it for certain, since otherwise nobody could push meanwhile.
struct TokenComparison: Sendable {
  let plans: RoutePlans
  let tokens: [PushEnvironment: PushRegistration]
  let holdings: [PushHolding]
  /// Whether vendors are told again that were told in vain.
  let retries: Bool
  /// Whether the user may have tokens anywhere; not one who has signed out.
  let offers: Bool
  /// The vendors of the route that take tokens of this user; none while consent forbids it.
  let successors: Set<ProviderID>
  /// The vendors for which a request waits that takes the token back: they may lose it at any moment.
  var leaving: [PushEnvironment: Set<ProviderID>] = [:]

  enum Step: Hashable, Sendable {
    case offer, takeBack
  }

  /// What a vendor has of a token.
  private enum Possession {
    case nothing, current
    /// It has another one, which is worth nothing any more.
    case former
    /// It has this one or a former one.
    case either
    /// It was told in vain.
    case unknown
    /// A request waits that takes the token back.
    case leaving
  }

  /// What the vendor is to be told; nil for nothing.
  ///
  /// - Parameters:
  ///   - waiting: The last operation about the token that waits for the vendor.
  ///   - replaces: Whether a registration that waits is to replace a former token.
  func step(
    _ environment: PushEnvironment, at provider: Provider, for user: User,
    waiting: Operation.Verb? = nil, replacing replaces: Bool = false
  ) -> Step? {
    guard let token = tokens[environment] else { return nil }
    let isLed = plans.lead(to: provider.id, for: .push)
    let step: Step?
    switch possession(of: token, at: provider.id, waiting) {
    case .nothing, .leaving: step = isLed ? .offer : nil
    case .former: step = isLed ? .offer : .takeBack
    case .either: step = isLed ? .offer : release(token)
    case .current: step = isLed ? nil : replaces ? .takeBack : release(token)
    case .unknown: step = retries ? (isLed ? .offer : .takeBack) : nil
    }
    // Without consent a registration waits for it, as the outbox does with any other.
    return step == .offer && !(offers && provider.serves(user)) ? nil : step
  }

  /// A vendor outside the route is told if one of the route has the token, or if none is to have it.
  private func release(_ token: PushRegistration) -> Step? {
    let leaving = leaving[token.environment] ?? []
    let isTaken = holdings.contains { holding in
      successors.contains(holding.state.provider) && holding.state.phase == .registered
        && !leaving.contains(holding.state.provider)
        && holding.state.environment == token.environment
        && holding.token.map { $0 == PushTokenDigests.digest(of: token) } ?? true
    }
    return isTaken || successors.isEmpty || !offers ? .takeBack : nil
  }

  private func possession(
    of token: PushRegistration, at provider: ProviderID, _ waiting: Operation.Verb?
  ) -> Possession {
    if waiting == .unregisterPush { return .leaving }
    let holding = holdings.first {
      $0.state.provider == provider && $0.state.environment == token.environment
    }
    switch holding?.state.phase {
    case nil, .unregistered?: return .nothing
    case .failed?: return .unknown
    case .pending?, .registered?:
      // An earlier release noted no token.
      guard let told = holding?.token else { return .current }
      guard !told.isEmpty else { return .either }
      return told == PushTokenDigests.digest(of: token) ? .current : .former
    }
  }
}

extension PushState {
  /// Whether the vendor has the token or will have it.
  var isHeld: Bool { phase == .registered || phase == .pending }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Compares what the vendors have of a user's push tokens with the route of pushes: the vendors of the
/// route are to have the tokens, and no others.
struct TokenComparison: Sendable {
  let plans: RoutePlans
  let tokens: [PushEnvironment: PushRegistration]
  let holdings: [PushHolding]
  /// Whether vendors are told again that were told in vain.
  let retries: Bool
  /// Whether the user may have tokens anywhere; not one who has signed out.
  let offers: Bool

  enum Step: Hashable, Sendable {
    case offer, takeBack
  }

  /// What a vendor has of a token.
  private enum Possession {
    case nothing, current, former
    /// It was told in vain.
    case unknown
    /// A request waits that takes the token back.
    case leaving
  }

  /// What the vendor is to be told; nil for nothing.
  ///
  /// - Parameter waiting: The last operation about the token that waits for the vendor.
  func step(
    _ environment: PushEnvironment, at provider: Provider, for user: User,
    waiting: Operation.Verb? = nil
  ) -> Step? {
    guard let token = tokens[environment] else { return nil }
    let isLed = plans.lead(to: provider.id, for: .push)
    let step: Step?
    switch possession(of: token, at: provider.id, waiting) {
    case .nothing, .leaving: step = isLed ? .offer : nil
    case .former: step = isLed ? .offer : .takeBack
    case .current: step = isLed ? nil : .takeBack
    case .unknown: step = retries ? (isLed ? .offer : .takeBack) : nil
    }
    // Without consent a registration waits for it, as the outbox does with any other.
    return step == .offer && !(offers && provider.serves(user)) ? nil : step
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
      let told = holding?.token ?? PushTokenDigests.digest(of: token)
      return told == PushTokenDigests.digest(of: token) ? .current : .former
    }
  }
}

extension PushState {
  /// Whether the vendor has the token or will have it.
  var isHeld: Bool { phase == .registered || phase == .pending }
}

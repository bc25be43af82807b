import EngagementAdapterAPI
import EngagementModel

/// What a user's consent lets us keep and send.
///
/// | | opt-out | what the user asks for | how the house runs | how the application is used |
/// |---|---|---|---|---|
/// | `denied` | yes | no | no | no |
/// | `unknown`, `essential` | yes | yes | yes | no |
/// | `full` | yes | yes | yes | yes |
///
/// A kind that is not known here counts as how the application is used. What `unknown` holds back
/// is not kept for later: nobody has agreed to that either.
struct ConsentRule: Hashable, Sendable {
  let consent: Consent

  /// Whether events of the kind may be recorded and sent.
  func allows(_ kind: EngagementEvent.Kind) -> Bool {
    switch consent {
    case .denied: kind == .optOut
    case .unknown, .essential:
      kind == .optOut || Self.asked.contains(kind) || Self.house.contains(kind)
    case .full: true
    }
  }

  /// Whether operations with the verb may be sent. What an operation needs first is not asked
  /// here: whoever sends it lets that pass.
  func allowsSending(_ verb: Operation.Verb) -> Bool {
    switch consent {
    case .denied: verb == .optOut
    case .unknown, .essential: !Self.analytics.contains(verb)
    case .full: true
    }
  }

  /// Whether a pending row may still go.
  func allowsSending(_ operation: Operation) -> Bool {
    guard case .events(let events) = operation else { return allowsSending(operation.verb) }
    return allowsSending(.events) && events.allSatisfy { allows($0.kind) }
  }

  /// What a user does to an item, and who the user says to be.
  private static let asked: Set<EngagementEvent.Kind> = [
    .click, .open, .read, .dismiss, .snooze, .submit, .vote, .expire, .upload, .register,
    .identify,
  ]

  /// What no vendor is told: how providers and the house itself do.
  private static let house: Set<EngagementEvent.Kind> = [
    .providerRequest, .providerFailed, .providerFallback, .providerMismatch, .routeChanged,
    .itemQuarantined, .outboxDropped,
  ]

  private static let analytics: Set<Operation.Verb> = [
    .act("impression", on: .cards), .act("impression", on: .inbox),
    .act("impression", on: .campaigns),
  ]
}

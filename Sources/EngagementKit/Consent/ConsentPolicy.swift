import EngagementAdapterAPI
import EngagementModel

/// What a user's consent lets the kit keep and send.
///
/// | | opt-out, withdrawal | the user's own actions | the kit's own events | analytics |
/// |---|---|---|---|---|
/// | `denied` | yes | no | no | no |
/// | `unknown`, `essential` | yes | yes | yes | no |
/// | `full` | yes | yes | yes | yes |
///
/// A withdrawal gives back a push token or the device, where the user asks for it or signs out. A user
/// who allows nothing must still be able to take back what was given.
///
/// An unknown kind counts as analytics. Events that `unknown` does not allow are dropped, since the
/// user has not agreed to keep them either.
struct ConsentPolicy: Hashable, Sendable {
  let consent: Consent

  /// Whether events of the kind may be recorded and sent.
  func allows(_ kind: EngagementEvent.Kind) -> Bool {
    switch consent {
    case .denied: kind == .optOut
    case .unknown, .essential:
      kind == .optOut || Self.asked.contains(kind) || Self.diagnostics.contains(kind)
    case .full: true
    }
  }

  /// Whether the start of a session may be recorded and sent to a vendor that serves nothing without
  /// it. For such a vendor it is no analytics.
  var allowsSessionStart: Bool { consent != .denied }

  /// Whether operations with the verb may be sent.
  func allowsSending(_ verb: Operation.Verb) -> Bool {
    switch consent {
    case .denied: verb.isWithdrawal
    case .unknown, .essential: !Self.analytics.contains(verb)
    case .full: true
    }
  }

  /// Throws `consentDenied` for an operation that may not be sent. A prerequisite may be sent if
  /// the operation that needs it may.
  func check(
    _ operation: Operation, _ attempt: Attempt, _ capabilities: AdapterCapabilities
  ) throws(EngagementError) {
    let verbs = [operation.verb, attempt.purpose].compactMap(\.self)
    guard verbs.contains(where: { allowsSending($0) || capabilities.isWithdrawal($0) }) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: operation.verb.rawValue)
    }
  }

  /// Whether a pending row may still be sent.
  func allowsSending(_ operation: Operation) -> Bool {
    guard case .events(let events) = operation else { return allowsSending(operation.verb) }
    // Only a vendor that needs the start of a session has a row for it without full consent.
    return allowsSending(.events)
      && events.allSatisfy { allows($0.kind) || $0.kind == .sessionStart && allowsSessionStart }
  }

  /// The user's own actions, among them registering and identifying.
  private static let asked: Set<EngagementEvent.Kind> = [
    .click, .open, .read, .dismiss, .snooze, .submit, .submitted, .vote, .expire, .upload,
    .register,
    .identify,
  ]

  /// Events about the providers and the kit, which no vendor gets.
  private static let diagnostics: Set<EngagementEvent.Kind> = [
    .providerRequest, .providerFailed, .providerFallback, .credentialRenewed, .providerMismatch,
    .routeChanged, .migrationStepped, .pushDropped,
    .feedUpdated, .itemQuarantined, .contentDuplicated, .itemHeld, .outboxDropped, .campaignDue,
    .campaignDropped, .actionRefused,
  ]

  private static let analytics: Set<Operation.Verb> = [
    .act("impression", on: .cards), .act("impression", on: .inbox),
    .act("impression", on: .campaigns),
  ]
}

extension Operation.Verb {
  /// Whether it only takes something back from any vendor, which needs no consent.
  fileprivate var isWithdrawal: Bool {
    [.optOut, .unregisterPush, .device(.unregister)].contains(self)
  }
}

extension AdapterCapabilities {
  /// Whether the verb only takes something back from the vendor, which needs no consent.
  func isWithdrawal(_ verb: Operation.Verb) -> Bool {
    verb.isWithdrawal || ability(verb).isWithdrawal
  }
}

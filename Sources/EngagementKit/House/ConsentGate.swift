import EngagementAdapterAPI
import EngagementModel

/// Lets out what a user's consent allows, and what that needs first.
final class ConsentGate: Sendable {
  /// The keys of what may be needed first, the newest last.
  private let excused = Locked<[OperationKey]>([])

  /// More than can be under way at once: a vendor has one opt-out, with few prerequisites.
  private static let capacity = 64

  /// Throws `consentDenied` for what may not go.
  func check(
    _ operation: Operation, _ attempt: Attempt, by consent: Consent
  ) throws(EngagementError) {
    guard
      ConsentRule(consent: consent).allowsSending(operation.verb) || isExcused(attempt.key)
    else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: operation.verb.text)
    }
    if consent == .denied { excuse(attempt.preparing.key) }
  }

  private func isExcused(_ key: OperationKey) -> Bool {
    excused.withLock { $0.contains(key) }
  }

  private func excuse(_ key: OperationKey) {
    excused.withLock { keys in
      guard !keys.contains(key) else { return }
      if keys.count >= Self.capacity { keys.removeFirst() }
      keys.append(key)
    }
  }
}

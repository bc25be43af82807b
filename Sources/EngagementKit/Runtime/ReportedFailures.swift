import EngagementAdapterAPI
import EngagementModel

/// Which kinds of requests failed when they were last answered. A failure is news until the next
/// answer without one: an outage would else fill the outbox with reports of itself.
final class ReportedFailures: Sendable {
  private let failing = Locked<Set<Operation.Verb>>([])

  /// Whether the vendor's answer is a failure that was not reported yet.
  func isNews(_ verdict: Verdict, for verb: Operation.Verb) -> Bool {
    failing.withLock { failing in
      switch verdict {
      case .done, .partly:
        failing.remove(verb)
        return false
      case .renew: return false
      case .retry, .refused: return failing.insert(verb).inserted
      }
    }
  }
}

import EngagementAdapterAPI
import EngagementModel

/// What one refresh of one provider, or one poll, has recorded and counted so far.
final class RefreshRound: Sendable {
  private struct State {
    /// Whether the event of the refresh came with its request.
    var hasEvent = false
    /// Whether all its requests were those of a refresh of another surface.
    var isOfOthers = true
    var failed: Set<Operation.Verb> = []
  }

  /// Nil for a poll, of which the ledger has no event.
  private let target: RefreshTarget?
  private let state = Locked(State())

  init(_ target: RefreshTarget? = nil) { self.target = target }

  /// The outcome of a request, which several refreshes may share.
  struct SharedOutcome: Sendable {
    let outcome: ProviderOutcome
    /// Whether the refresh that asked was one of the inbox; nil for a poll.
    fileprivate let isOfInbox: Bool?
  }

  func share(_ outcome: ProviderOutcome) -> SharedOutcome {
    SharedOutcome(outcome: outcome, isOfInbox: target.map { $0 == .inbox })
  }

  func take(_ shared: SharedOutcome) -> ProviderOutcome {
    let isOther = shared.isOfInbox.map { $0 != (target == .inbox) } ?? false
    if !isOther { state.withLock { $0.isOfOthers = false } }
    return shared.outcome
  }

  // MARK: The ledger

  func noteEvent(_ isMade: Bool) { state.withLock { $0.hasEvent = isMade } }

  /// Whether the ledger lacks the refresh. One that shares the request of another surface, as a bridged
  /// provider has it, is recorded there: it is one request.
  func isUnrecorded(_ outcome: ProviderOutcome) -> Bool {
    state.withLock { !$0.isOfOthers && (outcome.error != nil || !$0.hasEvent) }
  }

  // MARK: Fail-over

  /// Whether a fail-over hears of the finding. However many containers fail in one round, that is one
  /// failure: else the number of containers would decide how soon a route leaves a provider.
  func counts(_ finding: Breaker.Finding, of verb: Operation.Verb) -> Bool {
    finding != .failed || state.withLock { $0.failed.insert(verb).inserted }
  }
}

public import EngagementModel
import EngagementStore

extension Engagement {
  /// An accepted action. The action survives a kill.
  public struct Receipt: Sendable {
    private let watch: ReceiptWatch
    private let clock: any EngagementClock

    init(_ watch: ReceiptWatch, clock: any EngagementClock = SystemClock()) {
      self.watch = watch
      self.clock = clock
    }

    /// How an action ended.
    @nonexhaustive public enum Outcome: Hashable, Sendable {
      /// The vendor took it.
      case delivered
      /// It is kept on this device and nothing was sent: the vendor has no request for it, or knows it
      /// already.
      case kept
      /// The vendor will never take it. Its effect on the feeds is undone.
      case rejected(EngagementError)
      /// It could not be delivered within the time in which its vendor takes such actions.
      case expired
      /// It was dropped on this device.
      case discarded(DiscardReason)
    }

    /// Why an action was dropped on this device.
    @nonexhaustive public enum DiscardReason: String, Hashable, Sendable, CaseIterable {
      /// The outbox was full, and analytics made room for newer actions.
      case evicted
      /// Its user was erased, signed out with `discard`, or withdrew consent. A vendor to which it was
      /// being sent at that moment may have received it.
      case wiped
    }

    /// The providers that are told, or that have no request for the action.
    public var providers: Set<ProviderID> { watch.providers }

    /// How the action has ended so far, provider by provider. A provider where it is pending is absent.
    public var outcomes: [ProviderID: Outcome] { watch.endings.mapValues(Outcome.init) }

    /// Waits for the outcome without a limit. Throws only `CancellationError`: if the task is
    /// cancelled, and if the engagement is closed before the outcome is known.
    ///
    /// An action that waits until its user signs in again has no outcome before that.
    ///
    /// An action for several vendors ends when the last of them has answered, with the worst of
    /// their outcomes.
    public func outcome() async throws(CancellationError) -> Outcome {
      guard let ending = await watch.ending() else { throw CancellationError() }
      return Outcome(ending)
    }

    /// Waits for the outcome, no longer than the limit and until the engagement is closed; nil if
    /// the action is still pending. Throws `CancellationError` only if the task is cancelled.
    public func outcome(within limit: Duration) async throws(CancellationError) -> Outcome? {
      let watch = watch
      let (ending, _) = await withTimeLimit(limit, on: clock) { await watch.ending() }
      if ending == nil, Task.isCancelled { throw CancellationError() }
      return ending.map(Outcome.init)
    }
  }
}

extension Engagement.Receipt.Outcome {
  init(_ ending: Ending) {
    switch ending {
    case .delivered: self = .delivered
    case .kept: self = .kept
    case .rejected(let error): self = .rejected(error)
    case .expired: self = .expired
    case .evicted: self = .discarded(.evicted)
    case .wiped: self = .discarded(.wiped)
    }
  }
}

import EngagementModel
import EngagementStore

extension Engagement {
  /// An accepted action: it survives a kill from here on.
  public struct Receipt: Sendable {
    private let watch: ReceiptWatch
    private let clock: any EngagementClock

    init(_ watch: ReceiptWatch, clock: any EngagementClock = SystemClock()) {
      self.watch = watch
      self.clock = clock
    }

    /// How an action ended.
    @nonexhaustive public enum Outcome: Hashable, Sendable {
      /// The vendor took it, or it is kept here because the vendor has no use for it.
      case delivered
      /// The vendor will never take it; what it had made visible is taken back.
      case rejected(EngagementError)
      /// It could not be delivered for as long as its vendor takes such actions.
      case expired
      /// It was dropped on this device.
      case discarded(DiscardReason)
    }

    /// Why an action was dropped on this device.
    @nonexhaustive public enum DiscardReason: String, Hashable, Sendable, CaseIterable {
      /// The outbox was full, and analytics made room for newer actions.
      case evicted
      /// Its user was erased, signed out with `discard`, or withdrew consent.
      case wiped
    }

    /// Waits for the end, without limit; throws only `CancellationError`.
    ///
    /// An action that went to several vendors ends when the last of them has ended, with the worst
    /// of their outcomes.
    public func outcome() async throws(CancellationError) -> Outcome {
      guard let ending = await watch.ending() else { throw CancellationError() }
      return Outcome(ending)
    }

    /// Waits for the end, no longer than the limit; nil while the action is pending. Throws only
    /// `CancellationError`.
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
    case .rejected(let error): self = .rejected(error)
    case .expired: self = .expired
    case .evicted: self = .discarded(.evicted)
    case .wiped: self = .discarded(.wiped)
    }
  }
}

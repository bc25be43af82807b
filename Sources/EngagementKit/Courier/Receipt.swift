import EngagementModel
import EngagementStore

/// Something that was accepted: it survives a kill from here on.
public struct Receipt: Sendable {
  private let watch: Watch
  /// Asks about rows that nobody was told of; run when the outcome is waited for.
  private let lookUp: (@Sendable (Watch) async -> Void)?

  init(_ watch: Watch, lookUp: (@Sendable (Watch) async -> Void)? = nil) {
    self.watch = watch
    self.lookUp = lookUp
  }

  /// What became of it.
  public enum Outcome: Hashable, Sendable {
    /// The vendor took it, or it is kept here because the vendor has no use for it.
    case delivered
    /// The vendor will never take it; what it had made visible is taken back.
    case refused(EngagementError)
    /// It was tried for as long as it was worth.
    case expired
    /// Its user was erased, or it made room for newer events.
    case wiped
  }

  /// Waits for the end; `nil` when the task was cancelled first.
  ///
  /// Of something that went to several vendors the worst end is told.
  public var outcome: Outcome? {
    get async {
      if !watch.left.isEmpty { await lookUp?(watch) }
      return await watch.ending().map(Outcome.init)
    }
  }
}

extension Receipt.Outcome {
  init(_ ending: Ending) {
    switch ending {
    case .delivered: self = .delivered
    case .rejected(let error): self = .refused(error)
    case .expired: self = .expired
    case .evicted, .wiped: self = .wiped
    }
  }
}

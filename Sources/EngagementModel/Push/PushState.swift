public import EngagementPlatform

/// Whether a vendor has the installation's push token of an environment.
public struct PushState: Hashable, Sendable {
  public let provider: ProviderID
  public let environment: PushEnvironment
  public let phase: Phase
  public let changedAt: Date
  /// Whether a request waits that takes the token back, so that the vendor may lose it at any moment.
  public let isBeingTakenBack: Bool

  @nonexhaustive public enum Phase: Hashable, Sendable {
    /// The registration is accepted, and the vendor has not answered yet.
    case pending
    case registered
    /// The vendor was told in vain, of the registration or of its end.
    case failed(EngagementError.Code, reason: String)
    case unregistered

    /// The name in the cache and in JSON.
    public var name: String {
      switch self {
      case .pending: "pending"
      case .registered: "registered"
      case .failed: "failed"
      case .unregistered: "unregistered"
      }
    }
  }

  public init(
    _ provider: ProviderID, _ environment: PushEnvironment, _ phase: Phase, changedAt: Date,
    isBeingTakenBack: Bool = false
  ) {
    self.provider = provider
    self.environment = environment
    self.phase = phase
    self.changedAt = changedAt
    self.isBeingTakenBack = isBeingTakenBack
  }

  /// Whether the vendor has the token and keeps it.
  public var hasToken: Bool { phase == .registered && !isBeingTakenBack }
}

public import EngagementModel

extension Engagement {
  /// What has happened to a push.
  public enum PushPhase: String, Hashable, Sendable, CaseIterable {
    /// It has reached the device, shown or silent.
    case delivered
    /// The user has opened it.
    case opened
    /// The user has dismissed it.
    case dismissed

    /// The kind of the event that records it.
    var kind: EngagementEvent.Kind {
      switch self {
      case .delivered: .receive
      case .opened: .click
      case .dismissed: .dismiss
      }
    }
  }

  /// The owner of a push and its contents.
  public struct PushReception: Hashable, Sendable {
    public let provider: ProviderID
    public let notification: PushNotification
    /// Whether the push was handled in this phase before. A push counts once in each phase.
    public let isRepeated: Bool
    /// Whether pushes have moved to another vendor, so that the application shows nothing of this one. It
    /// was on its way when they moved.
    public let isSuperseded: Bool
  }
}

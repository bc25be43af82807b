public import EngagementModel

extension Engagement {
  /// How far a push has come with its user.
  public enum PushPhase: String, Hashable, Sendable, CaseIterable {
    /// It reached the device, shown or silent.
    case delivered
    /// The user opened it.
    case opened
    /// The user swept it away.
    case dismissed

    /// What records it.
    var kind: EngagementEvent.Kind {
      switch self {
      case .delivered: .receive
      case .opened: .click
      case .dismissed: .dismiss
      }
    }
  }

  /// Whose a push is, and what it says.
  public struct PushReception: Hashable, Sendable {
    public let provider: ProviderID
    public let notification: PushNotification
    /// Whether the push was handled in this phase before; it counts once, however often the system
    /// tells of it.
    public let isRepeated: Bool
  }
}

public import EngagementModel

extension Engagement {
  /// The application's phase, as the system names it.
  public enum ScenePhase: String, Hashable, Sendable, CaseIterable {
    /// In the foreground and in use.
    case active
    /// In the foreground, and briefly covered or interrupted.
    case inactive
    /// Not visible.
    case background
  }

  /// What a screen reports about items.
  @nonexhaustive public enum ScreenEvent: Hashable, Sendable {
    /// This fraction of the item is visible now, from 0 to 1.
    case visible(ItemID, fraction: Double)
    /// Nothing of the item is visible any more.
    case hidden(ItemID)

    var visibility: (item: ItemID, fraction: Double) {
      switch self {
      case .visible(let item, let fraction): (item, fraction)
      case .hidden(let item): (item, 0)
      }
    }
  }
}

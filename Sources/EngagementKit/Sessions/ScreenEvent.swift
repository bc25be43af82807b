public import EngagementModel

extension Engagement {
  /// Where the application is, as its user sees it.
  public enum ScenePhase: String, Hashable, Sendable, CaseIterable {
    /// In front and in use.
    case active
    /// In front, though something covers it for the moment.
    case inactive
    /// Not to be seen.
    case background
  }

  /// What only a screen knows.
  @nonexhaustive public enum ScreenEvent: Hashable, Sendable {
    /// So much of an item is visible now, from 0 to 1. Report changes.
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

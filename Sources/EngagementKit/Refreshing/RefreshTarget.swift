public import EngagementModel

extension Engagement {
  /// What can be asked for anew.
  public enum RefreshTarget: Hashable, Sendable {
    /// The cards of one of the application's containers; nil for those of every container.
    case cards(in: ContainerID?)
    case inbox
    /// One message, which need not be in the cache yet; its provider alone is asked.
    case message(ItemID)
    /// Who each vendor says the user is.
    case person
    /// How many cards the user has, as vendors count them.
    case metrics
    case campaigns
    /// What each vendor has to say before anything else.
    case settings

    /// The cards of every container that the application has named or asked for before.
    public static var cards: RefreshTarget { .cards(in: nil) }
  }
}

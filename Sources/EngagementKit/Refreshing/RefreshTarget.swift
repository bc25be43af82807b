public import EngagementModel

/// What can be asked for anew.
public enum RefreshTarget: Hashable, Sendable {
  /// The cards of one of the application's containers; nil for those of all it has named.
  case cards(ContainerID?)
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
}

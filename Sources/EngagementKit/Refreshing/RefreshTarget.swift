public import EngagementModel

extension Engagement {
  /// What can be refreshed.
  public enum RefreshTarget: Hashable, Sendable {
    /// The cards of one of the application's containers; nil for all containers. A vendor that takes
    /// the conditions is asked with them, any other for all cards.
    case cards(in: ContainerID?, matching: [CardFilter] = [])
    case inbox
    /// One message, also one that is not in the cache yet. Only its provider is asked.
    case message(ItemID)
    /// The user's profile at each vendor.
    case person
    /// How many cards the user has, as vendors count them.
    case metrics
    case campaigns
    /// Each vendor's settings, which other requests need.
    case settings

    /// The cards of every container that the application has configured or refreshed before.
    public static var cards: RefreshTarget { .cards(in: nil) }
  }

  /// How much of a target is fetched.
  public enum RefreshExtent: Hashable, Sendable {
    /// What has changed since the last answer, if the vendor can tell.
    case changes
    /// All of it.
    case everything
  }
}

extension RefreshTarget {
  /// Why a condition makes no sense; nil if all do.
  var fault: EngagementError? {
    guard case .cards(_, let filters) = self else { return nil }
    do throws(EngagementError) {
      for filter in filters { try filter.validate() }
      return nil
    } catch {
      return error
    }
  }

  var isOfAllContainers: Bool {
    if case .cards(nil, _) = self { true } else { false }
  }
}

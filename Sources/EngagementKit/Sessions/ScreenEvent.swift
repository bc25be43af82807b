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
    /// This fraction of the item is visible now, from 0 to 1. An item of which something is visible
    /// after nothing was counts as displayed, however briefly.
    case visible(ItemID, fraction: Double)
    /// Nothing of the item is visible any more.
    case hidden(ItemID)
    /// The screen shows the container.
    case containerShown(ContainerID, as: DisplayMode)
    /// The user opened a subview of the card.
    case subviewOpened(ItemID, subview: Card.Subview.ID)
    /// The user left a subview of the card.
    case subviewLeft(ItemID, subview: Card.Subview.ID)
    /// The user followed a link of the card to an address or a payload.
    case linkFollowed(ItemID, CardButton.Link, from: LinkOrigin)
    /// A video of the card began to play.
    case videoStarted(ItemID, urlText: String)
    /// A video of the card was played to its end.
    case videoCompleted(ItemID, urlText: String)
    /// The user is asked for how long the card is snoozed.
    case snoozeOptionsShown(ItemID)
    /// The user chose no time to snooze the card for.
    case snoozeOptionsCancelled(ItemID)

    var visibility: (item: ItemID, fraction: Double)? {
      switch self {
      case .visible(let item, let fraction): (item, fraction)
      case .hidden(let item): (item, 0)
      case .containerShown, .subviewOpened, .subviewLeft, .linkFollowed, .videoStarted,
        .videoCompleted, .snoozeOptionsShown, .snoozeOptionsCancelled:
        nil
      }
    }
  }

  /// How a screen shows a container.
  public enum DisplayMode: String, Hashable, Sendable, CaseIterable {
    /// A list of cards.
    case stream
    /// One card at a time.
    case single
    /// A row of cards.
    case horizon
  }

  /// What a user touched to follow a link.
  public enum LinkOrigin: String, Hashable, Sendable, CaseIterable {
    case image, linkButton, submitButton, textLink
  }
}

public import EngagementModel

extension Engagement {
  /// How a feed of cards stands on a screen, without the screen: what its bar says, what is marked
  /// as unread, and whether it is still open.
  public struct CardPresentation: Hashable, Sendable {
    /// Shown in the bar; nil leaves that to the application.
    public var title: String?
    public var setting: Setting
    /// Whether unread cards are marked and counted.
    public var showsUnread: Bool
    /// False once it was closed.
    public private(set) var isOpen = true

    /// What the feed is shown in.
    public enum Setting: String, Hashable, Sendable, CaseIterable {
      /// One screen of several: the application's own bar leads back.
      case navigation
      /// Over everything else, with a button of its own that closes it.
      case modal
    }

    public init(
      title: String? = nil, setting: Setting = .navigation, showsUnread: Bool = true
    ) {
      self.title = title
      self.setting = setting
      self.showsUnread = showsUnread
    }

    /// Whether there is a button that closes the feed.
    public var hasCloseButton: Bool { setting == .modal }

    /// How many unread cards the bar counts; nil where they are not counted.
    public func unreadCount(in feed: CardFeed) -> Int? { showsUnread ? feed.unreadCount : nil }

    /// Whether the card is marked as unread.
    public func marksUnread(_ card: Card) -> Bool {
      showsUnread && !card.isViewed && card.kind != .control
    }

    /// The feed leaves the screen. The presentation cannot be shown again.
    public mutating func close() { isOpen = false }
  }
}

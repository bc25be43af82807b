public import EngagementModel

extension Engagement {
  /// The state of a screen that shows a feed of cards: its title, whether it marks unread cards,
  /// and whether it is open.
  public struct CardPresentation: Hashable, Sendable {
    /// The title of the navigation bar; nil leaves it to the application.
    public var title: String?
    public var setting: Setting
    /// Whether unread cards are marked and counted.
    public var showsUnread: Bool
    /// False after `close()`.
    public private(set) var isOpen = true

    /// How the feed is presented.
    public enum Setting: String, Hashable, Sendable, CaseIterable {
      /// On a navigation stack, with the application's own way back.
      case navigation
      /// Above everything else, with its own close button.
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

    /// Closes the feed. The presentation cannot be opened again.
    public mutating func close() { isOpen = false }
  }
}

extension Card {
  /// The actions that the card allows besides its own buttons.
  public struct Actions: Hashable, Sendable {
    public var canDismiss: Bool
    public var canSnooze: Bool
    public var canVoteUp: Bool
    public var canVoteDown: Bool
    /// The actions that a swipe offers; empty for a vendor that does not say.
    public var swipe: Offer = []
    /// The actions that the card's menu offers; empty for a vendor that does not say.
    public var menu: Offer = []
    /// What the card shows in the place of its menu; nil for a vendor that does not say.
    public var menuStyle: MenuStyle?

    public init(
      canDismiss: Bool = false, canSnooze: Bool = false, canVoteUp: Bool = false,
      canVoteDown: Bool = false
    ) {
      self.canDismiss = canDismiss
      self.canSnooze = canSnooze
      self.canVoteUp = canVoteUp
      self.canVoteDown = canVoteDown
    }

    /// Allows what a swipe or the menu offers.
    public init(swipe: Offer, menu: Offer) {
      let all = swipe.union(menu)
      self.init(
        canDismiss: all.contains(.dismiss), canSnooze: all.contains(.snooze),
        canVoteUp: all.contains(.voteUp), canVoteDown: all.contains(.voteDown))
      self.swipe = swipe
      self.menu = menu
    }

    /// Some of the actions.
    public struct Offer: OptionSet, Hashable, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }

      public static let dismiss = Offer(rawValue: 1)
      public static let snooze = Offer(rawValue: 2)
      public static let voteUp = Offer(rawValue: 4)
      public static let voteDown = Offer(rawValue: 8)
    }

    /// What a card shows in the place of its menu.
    public struct MenuStyle: ByteComparable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      /// A button that opens the menu.
      public static let overflow: MenuStyle = "overflow"
      /// A button that dismisses the card.
      public static let dismiss: MenuStyle = "dismiss"
    }
  }
}

public import EngagementModel
public import EngagementPlatform

/// What the user did to one item and the vendor has not confirmed.
///
/// The user sees the vendor's state under the overlay. A mark ends when the vendor's state agrees
/// or when the vendor rejects the action. The whole overlay ends when the vendor no longer lists
/// the item. So no refresh brings a dismissed card back, and state that a vendor never stores
/// stays.
public struct Overlay: Hashable, Sendable {
  private(set) var causes: Set<MarkCause> = []
  /// Until when a snoozed item is hidden.
  public private(set) var snoozedUntil: Date?
  /// From when on an item that the user ended is hidden.
  public private(set) var endsAt: Date?

  public init() {}

  init(_ causes: Set<MarkCause>, snoozedUntil: Date?, endsAt: Date?) {
    self.causes = causes
    self.snoozedUntil = snoozedUntil
    self.endsAt = endsAt
  }

  /// A state that, once true, stays true.
  public enum Mark: String, Hashable, Sendable, CaseIterable {
    case viewed, clicked, read, dismissed
  }

  /// A mark and the action that set it. A rejected action takes back its own marks, and leaves
  /// those that another action has set too.
  struct MarkCause: Hashable, Sendable {
    let cause: Cause
    let mark: Mark
  }

  enum Cause: Hashable, Sendable {
    case impression, click, open, read, dismiss, delete, submit, expire
    /// No action: the vendor itself says so of a copy.
    case vendor

    fileprivate var marks: Set<Mark> {
      switch self {
      case .impression: [.viewed]
      case .click: [.viewed, .clicked]
      case .open, .read: [.viewed, .read]
      case .dismiss, .delete, .submit, .expire: [.dismissed]
      case .vendor: []
      }
    }
  }

  /// The marks that the user's actions have set.
  public var marks: Set<Mark> { Set(causes.map(\.mark)) }

  func has(_ mark: Mark) -> Bool { causes.contains { $0.mark == mark } }

  public var isEmpty: Bool { causes.isEmpty && snoozedUntil == nil && endsAt == nil }

  /// Whether the user did nothing to the item.
  var isUntouched: Bool {
    snoozedUntil == nil && endsAt == nil && causes.allSatisfy { $0.cause == .vendor }
  }

  /// Sets the marks of an action.
  public mutating func record(_ action: ItemAction, at now: Date) {
    switch action {
    case .snooze(let seconds): snoozedUntil = now.addingTimeInterval(Double(seconds))
    case .expire(let date?) where date > now: endsAt = date
    case .impression, .click, .open, .read, .dismiss, .submit, .vote, .expire, .delete:
      guard let cause = action.cause else { return }
      causes.formUnion(cause.marks.map { MarkCause(cause: cause, mark: $0) })
    }
  }

  /// Takes back the marks of a rejected action.
  public mutating func undo(_ action: ItemAction) {
    causes = causes.filter { $0.cause != action.cause }
    switch action {
    case .snooze: snoozedUntil = nil
    case .expire: endsAt = nil
    case .impression, .click, .open, .read, .dismiss, .submit, .vote, .delete: break
    }
  }

  /// Ends the marks that the vendor's card agrees with.
  public mutating func settle(with card: Card, at now: Date) {
    if card.isViewed { end(.viewed) }
    if card.isClicked { end(.clicked) }
    if card.isDismissed { end(.dismissed) }
    endSnooze(at: now)
  }

  /// Ends the marks that the vendor's message agrees with.
  public mutating func settle(with message: InboxMessage, at now: Date) {
    if message.isRead { end(.read) }
    endSnooze(at: now)
  }

  private mutating func end(_ mark: Mark) { causes = causes.filter { $0.mark != mark } }

  /// Ends the marks that the vendor's item agrees with.
  mutating func settle(with content: ItemContent, at now: Date) {
    switch content {
    case .card(let card): settle(with: card, at: now)
    case .message(let message): settle(with: message, at: now)
    case .campaign: endSnooze(at: now)
    }
  }

  private mutating func endSnooze(at now: Date) {
    if let end = snoozedUntil, end <= now { snoozedUntil = nil }
  }

  /// The card as the user sees it.
  public func applied(to card: Card) -> Card {
    var card = card
    card.isViewed = card.isViewed || has(.viewed)
    card.isClicked = card.isClicked || has(.clicked)
    card.isDismissed = card.isDismissed || has(.dismissed)
    return card
  }

  /// The message as the user sees it.
  public func applied(to message: InboxMessage) -> InboxMessage {
    var message = message
    message.isRead = message.isRead || has(.read)
    return message
  }

  /// Whether the user does not see the item now.
  public func hides(at now: Date) -> Bool {
    if has(.dismissed) { return true }
    if let endsAt, endsAt <= now { return true }
    if let snoozedUntil { return now < snoozedUntil }
    return false
  }
}

extension ItemAction {
  /// The cause of the marks that the action sets; nil for an action that sets none.
  fileprivate var cause: Overlay.Cause? {
    switch self {
    case .impression: .impression
    case .click: .click
    case .open: .open
    case .read: .read
    case .dismiss: .dismiss
    case .submit: .submit
    case .expire: .expire
    case .delete: .delete
    case .snooze, .vote: nil
    }
  }

  /// The marks that the action sets at once.
  var marks: Set<Overlay.Mark> { cause?.marks ?? [] }
}

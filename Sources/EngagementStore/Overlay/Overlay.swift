public import EngagementModel
public import FoundationEssentials

/// What the user did to one item and the vendor does not say yet.
///
/// Visible is the vendor's truth with the overlay laid over it. A mark ends only when the vendor's
/// state agrees or when the vendor refuses the action; the whole overlay ends when the vendor no
/// longer lists the item. So no refresh brings a dismissed card back, and state that a vendor
/// never stores is kept here.
public struct Overlay: Hashable, Sendable {
  private(set) var claims: Set<Claim> = []
  /// Until when a snoozed item is hidden.
  public private(set) var snoozedUntil: Date?
  /// From when on an item that the user ended is hidden.
  public private(set) var endsAt: Date?

  public init() {}

  init(_ claims: Set<Claim>, snoozedUntil: Date?, endsAt: Date?) {
    self.claims = claims
    self.snoozedUntil = snoozedUntil
    self.endsAt = endsAt
  }

  /// One thing that only ever becomes true.
  public enum Mark: String, Hashable, Sendable, CaseIterable {
    case viewed, clicked, read, dismissed
  }

  /// What made a mark true: a refused action takes back its own claims, and leaves what another
  /// makes true as well.
  struct Claim: Hashable, Sendable {
    let deed: Deed
    let mark: Mark
  }

  enum Deed: String, Hashable, Sendable {
    case impression, click, open, read, dismiss, delete, submit, expire

    fileprivate var marks: Set<Mark> {
      switch self {
      case .impression: [.viewed]
      case .click: [.viewed, .clicked]
      case .open, .read: [.viewed, .read]
      case .dismiss, .delete, .submit, .expire: [.dismissed]
      }
    }
  }

  /// What is true by what the user did.
  public var marks: Set<Mark> { Set(claims.map(\.mark)) }

  func has(_ mark: Mark) -> Bool { claims.contains { $0.mark == mark } }

  public var isEmpty: Bool { claims.isEmpty && snoozedUntil == nil && endsAt == nil }

  /// Notes what the user does now.
  public mutating func record(_ action: ItemAction, at now: Date) {
    switch action {
    case .snooze(let seconds): snoozedUntil = now.addingTimeInterval(Double(seconds))
    case .expire(let date?) where date > now: endsAt = date
    default:
      guard let deed = action.deed else { return }
      claims.formUnion(deed.marks.map { Claim(deed: deed, mark: $0) })
    }
  }

  /// Takes back what a refused action had noted.
  public mutating func undo(_ action: ItemAction) {
    claims = claims.filter { $0.deed != action.deed }
    if case .snooze = action { snoozedUntil = nil }
    if case .expire = action { endsAt = nil }
  }

  /// Ends the marks that the vendor's card agrees with.
  public mutating func settle(with card: Card, at now: Date) {
    if card.viewed { end(.viewed) }
    if card.clicked { end(.clicked) }
    if card.dismissed { end(.dismissed) }
    endSnooze(at: now)
  }

  /// Ends the marks that the vendor's message agrees with.
  public mutating func settle(with message: InboxMessage, at now: Date) {
    if message.read { end(.read) }
    endSnooze(at: now)
  }

  private mutating func end(_ mark: Mark) { claims = claims.filter { $0.mark != mark } }

  /// Ends the marks that what the vendor sent agrees with.
  mutating func settle(with content: Content, at now: Date) {
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
    card.viewed = card.viewed || has(.viewed)
    card.clicked = card.clicked || has(.clicked)
    card.dismissed = card.dismissed || has(.dismissed)
    return card
  }

  /// The message as the user sees it.
  public func applied(to message: InboxMessage) -> InboxMessage {
    var message = message
    message.read = message.read || has(.read)
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
  /// What it is called among what makes something true at once; nil where it makes nothing.
  fileprivate var deed: Overlay.Deed? { Overlay.Deed(rawValue: name) }

  /// What the action makes true of its item at once.
  var marks: Set<Overlay.Mark> { deed?.marks ?? [] }
}

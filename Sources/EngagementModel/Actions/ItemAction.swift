public import EngagementPlatform

/// A user's action on an item.
@nonexhaustive public enum ItemAction: Hashable, Sendable {
  /// The user looked at the item; `ImpressionMeter` decides when.
  case impression
  case click
  case open
  case read
  case dismiss
  case submit(button: String?, values: JSONObject)
  /// Hides the item for that many seconds, zero or more.
  case snooze(seconds: Int)
  /// - Parameter from: Where on the card the user voted; nil if that is unknown.
  case vote(useful: Bool, reason: VoteReason?, message: String?, from: VoteSource? = nil)
  /// Ends the item at a time; nil for now.
  case expire(at: Date?)
  case delete

  /// Why a card was not useful.
  public struct VoteReason: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notRelevant: VoteReason = "not-relevant"
    public static let tooOften: VoteReason = "too-often"
    public static let other: VoteReason = "other"
  }

  /// Where on a card its user voted.
  public struct VoteSource: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let swipe: VoteSource = "swipe"
    public static let menu: VoteSource = "menu"
    public static let button: VoteSource = "button"
  }

  /// The action's name, as the command line prints it.
  public var name: String {
    switch self {
    case .impression: "impression"
    case .click: "click"
    case .open: "open"
    case .read: "read"
    case .dismiss: "dismiss"
    case .submit: "submit"
    case .snooze: "snooze"
    case .vote: "vote"
    case .expire: "expire"
    case .delete: "delete"
    }
  }

  /// The kind of event that records the action.
  public var eventKind: EngagementEvent.Kind {
    switch self {
    case .expire, .delete: .expire
    case .impression, .click, .open, .read, .dismiss, .submit, .snooze, .vote:
      EngagementEvent.Kind(name)
    }
  }

  /// The properties of the event that records the action.
  public var eventProperties: JSONObject {
    var properties = JSONObject()
    switch self {
    case .submit(let button, let values):
      properties["button"] = button.map(JSON.string)
      properties["values"] = .object(values)
    case .snooze(let seconds):
      properties["seconds"] = .integer(Int64(seconds))
    case .vote(let useful, let reason, let message, let source):
      properties["source"] = source.map { .string($0.rawValue) }
      properties["useful"] = .bool(useful)
      properties["reason"] = reason.map { .string($0.rawValue) }
      properties["message"] = message.map(JSON.string)
    case .impression, .click, .open, .read, .dismiss, .expire, .delete: break
    }
    return properties
  }
}

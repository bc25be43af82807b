public import FoundationEssentials

/// What a user does to an item.
@nonexhaustive public enum ItemAction: Hashable, Sendable {
  /// Counts as looked at; see `ImpressionMeter` for when.
  case impression
  case click
  case open
  case read
  case dismiss
  case submit(button: String?, values: JSONObject)
  /// Hides the item for so long, zero or more seconds.
  case snooze(seconds: Int)
  case vote(useful: Bool, reason: VoteReason?, message: String?)
  /// Ends the item at a time; nil for now.
  case expire(at: Date?)
  case delete

  /// Why a card was not useful.
  public struct VoteReason: ByteComparable {
    public let text: String
    public init(_ text: String) { self.text = text }

    public static let notRelevant: VoteReason = "not-relevant"
    public static let tooOften: VoteReason = "too-often"
    public static let other: VoteReason = "other"
  }

  /// The action's name, as the command line and verbs spell it.
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
    default: EngagementEvent.Kind(name)
    }
  }

  /// What the event that records the action says of it.
  public var eventProperties: JSONObject {
    var properties = JSONObject()
    switch self {
    case .submit(let button, let values):
      properties["button"] = button.map(JSON.string)
      properties["values"] = .object(values)
    case .snooze(let seconds):
      properties["seconds"] = .integer(Int64(seconds))
    case .vote(let useful, let reason, let message):
      properties["useful"] = .bool(useful)
      properties["reason"] = reason.map { .string($0.text) }
      properties["message"] = message.map(JSON.string)
    default: break
    }
    return properties
  }
}

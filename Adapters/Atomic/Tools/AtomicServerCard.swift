import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A card as the vendor has it: what clients get, and what only the vendor knows of it.
struct AtomicServerCard: Sendable {
  /// The client's card, with the members of `ownMembers` beside it.
  var members: JSONObject
  /// Increases with every change of any card.
  var revision: Int
  /// The user who alone has it; nil for everyone's.
  var owner: User?
  /// Bytes that are listed unchanged and may be malformed; nil for a card that has members.
  var bytes: [UInt8]?

  /// The members that no client gets, named as in the vendor's interface for customers.
  static let ownMembers = ["cardTemplateId", "cardTemplateName", "created", "payload"]

  var id: String { members["instance"]?["id"]?.string ?? "" }

  private var options: JSON? { members["payload"]?["cardOptions"] }

  /// Whether a container lists it. A card without containers is in all.
  func isIn(_ container: String) -> Bool {
    guard let targets = options?["targetStreamIds"]?.array else { return true }
    return targets.contains { $0.string == container }
  }

  var containers: [String] {
    (options?["targetStreamIds"]?.array ?? []).compactMap(\.string)
  }

  var embargoedUntil: Date? { Self.date(options?["embargo"]) }
  var expiresAt: Date? { Self.date(options?["expires"]) }
  var variables: JSON? { members["payload"]?["detail"] }

  /// From 1, the first in a list, to 10.
  var priority: Int64 { members["metadata"]?["priority"]?.integer ?? 5 }
  var receivedAt: Date? { Self.date(members["metadata"]?["receivedAt"]) }
  var createdAt: Date? { Self.date(members["created"]) ?? receivedAt }
  var lastActiveAt: Date? { Self.date(members["metadata"]?["lastCardActiveTime"]) }

  static func date(_ json: JSON?) -> Date? { json?.string.flatMap { ISO8601.date(from: $0) } }

  /// The names of the inputs that take a file, of the card and its subviews.
  var fileInputs: [String] {
    let views = (members["subviews"]?.object?.members ?? []).map(\.value)
    return (views + [members["defaultView"] ?? .null]).flatMap { Self.fileInputs($0["nodes"]) }
  }

  private static func fileInputs(_ nodes: JSON?) -> [String] {
    (nodes?.array ?? []).flatMap { node in
      let attributes = node["attributes"]
      let name = (attributes?["key"] ?? attributes?["name"])?.string
      return (node["type"] == "fileUpload" ? [name].compactMap(\.self) : [])
        + fileInputs(node["children"])
    }
  }

  /// The card as a client gets it, active since it came back if it was snoozed.
  func wire(activeSince: Date?) -> JSON {
    var card = members
    for name in Self.ownMembers { card[name] = nil }
    if let created = members["created"], var instance = card["instance"]?.object {
      instance["created"] = instance["created"] ?? created
      card["instance"] = .object(instance)
    }
    if let text = activeSince.flatMap({ ISO8601.text(of: $0) }) {
      var metadata = card["metadata"]?.object ?? [:]
      metadata["lastCardActiveTime"] = .string(text)
      card["metadata"] = .object(metadata)
    }
    return .object(card)
  }
}

/// What the vendor knows of a user.
struct AtomicServerUser: Sendable {
  /// What became of a card at one user.
  struct CardState: Sendable {
    /// `dismissed` or `completed`; nothing opens the card again.
    var end: String?
    var snoozedUntil: Date?
  }

  var cards: [String: CardState] = [:]
  /// The cards that were displayed.
  var seen: Set<String> = []
  /// The analytics events that were counted.
  var eventIDs: Set<String> = []
  /// What `update-user` has set.
  var profile: JSONObject = [:]
}

/// What became of a card at one user, at a time.
enum AtomicCardStatus: Hashable {
  /// `since` is when it came back, for a card that was snoozed.
  case active(since: Date?)
  case snoozed, embargoed
  case closed(String)

  init(of card: AtomicServerCard, for state: AtomicServerUser.CardState?, at now: Date) {
    let snoozedUntil = state?.snoozedUntil
    self =
      if let end = state?.end {
        .closed(end)
      } else if let end = card.expiresAt, end <= now {
        .closed("expired")
      } else if let begin = card.embargoedUntil, begin > now {
        .embargoed
      } else if let snoozedUntil, snoozedUntil > now {
        .snoozed
      } else {
        .active(since: snoozedUntil)
      }
  }
}

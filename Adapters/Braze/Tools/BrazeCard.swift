import EngagementJSON
import EngagementModel

/// A card as the vendor has it.
struct BrazeCard: Sendable {
  /// The wire's members but `v` and `cl`, which belong to a user.
  var members: JSONObject
  /// When it changed last.
  var stamp: Int64
  /// The user who alone has it; nil for everyone's.
  var owner: User?
  /// Bytes that are listed unchanged and may be malformed; nil for a card that has members.
  var bytes: [UInt8]?

  var id: String { members["id"]?.string ?? "" }
  var isDismissible: Bool { Self.truth(members["db"]) }

  func isExpired(at time: Int64) -> Bool {
    guard let end = members["ea"]?.integer, end >= 0 else { return false }
    return end <= time
  }

  /// Whether the user's syncs list the card. A test card comes by push alone.
  func isListed(for user: User) -> Bool {
    (owner == nil || owner == user) && !Self.truth(members["t"])
  }

  /// The card as it stands in a list.
  func listed(for state: BrazeProfile.CardState?) -> [UInt8] {
    bytes ?? wire(for: state).encoded()
  }

  /// The card as a user's device gets it.
  func wire(for state: BrazeProfile.CardState?) -> JSON {
    var card = members
    if card["v"] == nil || state?.isViewed == true { card["v"] = flag(state?.isViewed == true) }
    if card["cl"] == nil || state?.isClicked == true { card["cl"] = flag(state?.isClicked == true) }
    return .object(card)
  }

  /// Some cards write their truth values as numbers, as Braze does.
  private func flag(_ value: Bool) -> JSON {
    if case .integer? = members["p"] { return .integer(value ? 1 : 0) }
    return .bool(value)
  }

  static func truth(_ json: JSON?) -> Bool { json?.bool ?? json?.integer.map { $0 != 0 } ?? false }
}

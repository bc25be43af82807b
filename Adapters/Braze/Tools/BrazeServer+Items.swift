import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a marketer does: cards and pushes.
extension BrazeServer {
  var items: [JSON] { cards.map { .object($0.members) } }

  static func madeUpItem(_ number: Int, at now: Date) -> JSON? {
    .object(BrazeSeed.card(number, at: seconds(now)))
  }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    guard let given = item.object else {
      throw EngagementError(.invalidArgument, "A card is an object")
    }
    if let id = given["id"], id.string?.isEmpty != false {
      throw EngagementError(.invalidArgument, "The field id of a card is no text, or empty")
    }
    let stamp = stamp(now)
    let place = given["id"]?.string.flatMap { id in cards.firstIndex { $0.id == id } }
    var members =
      place.map { cards[$0].members } ?? [
        "id": given["id"] ?? .string(BrazeSeed.compositeID(&numbers))
      ]
    members["ca"] = .integer(Self.seconds(now))
    for member in given.members { members[member.key] = member.value }
    let card = BrazeCard(members: members, stamp: stamp)
    if let place { cards[place] = card } else { cards.append(card) }
    removed.removeAll { $0.id == card.id }
    return .object(members)
  }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    for bytes in items {
      let members = (try? JSON(parsing: bytes))?.object ?? [:]
      cards.append(BrazeCard(members: members, stamp: stamp(now), owner: user, bytes: bytes))
    }
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    for card in cards where card.owner == user { removed.append((card.id, stamp(now))) }
    cards.removeAll { $0.owner == user }
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    guard let place = cards.firstIndex(where: { $0.id == id }) else { return false }
    let card = cards.remove(at: place)
    // A test card is in no feed, so its removal is not announced.
    if !BrazeCard.truth(card.members["t"]) { removed.append((id, stamp(now))) }
    return true
  }

  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    let fields = try SettingFields(
      message,
      allowed: [
        "title", "body", "url", "item", "user", "silent", "platform", "webView", "extras",
      ])
    let push = BrazePushDraft(
      campaign: BrazeSeed.compositeID(&numbers),
      title: try fields.text("title") ?? "Harbour Coffee",
      body: try fields.text("body") ?? "Your table by the window is free.",
      isSilent: try fields.bool("silent") ?? false, url: try fields.text("url"),
      usesWebView: try fields.bool("webView"), card: try card(for: try fields.text("item")),
      user: try fields.text("user"))
    let extras = fields.object["extras"]?.object ?? [:]
    switch try fields.text("platform") ?? "apns" {
    case "apns":
      var payload = push.apns
      for extra in extras.members where payload[extra.key] == nil {
        payload[extra.key] = extra.value
      }
      return .object(payload)
    // FCM carries texts alone, so the pairs travel as one.
    case "fcm": return .object(push.fcm(with: extras))
    case let platform:
      throw EngagementError(
        .invalidArgument,
        "There is no push platform \"\(platform)\"\(NearestName.hint(for: platform, among: ["apns", "fcm"]))"
      )
    }
  }

  /// The card that travels in a push, as a test card.
  private func card(for id: String?) throws(EngagementError) -> JSON? {
    guard let id else { return nil }
    guard let card = cards.first(where: { $0.id == id }) else {
      throw EngagementError(.notFound, "There is no card of that id")
    }
    var members = card.members
    members["t"] = true
    return BrazeCard(members: members, stamp: card.stamp).wire(for: nil)
  }
}

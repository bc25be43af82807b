import EngagementJSON
import EngagementModel

/// Maps Atomic's cards.
///
/// | what | absent | wrong type | unknown or out of range |
/// |---|---|---|---|
/// | `instance.id` | quarantined | a number is text, else quarantined | – |
/// | texts | nil | nil | kept |
/// | times | nil | nil | nil |
/// | `metadata.priority` | nil | nil | nil |
/// | `actions` | not allowed | not allowed | ignored |
/// | a node's type | skipped | skipped | skipped |
/// | an address | nil | nil | nil where it can run code |
enum AtomicItems {
  /// The final states of a card.
  private static let closed: Set<JSONKey> = ["completed", "dismissed", "expired", "cancelled"]

  static func card(in item: RawItem) throws(EngagementError) -> Card {
    let fields: JSONFields
    do throws(JSONFault) { fields = try JSONFields(item) } catch { throw EngagementError(error) }
    guard let instance = fields.fields("instance"), let id = AtomicText.id(instance, "id") else {
      throw EngagementError(.malformedResponse, "The card has no id.")
    }
    // The store replaces the provider with the application's id for it.
    var card = Card(ItemID("atomic", id), vendor: "atomic", kind: .composed)
    readInstance(instance, into: &card)
    if let metadata = fields.fields("metadata") { readMetadata(metadata, into: &card) }
    if let actions = fields.fields("actions") { readActions(actions, into: &card) }
    card.runtimeVariables = AtomicVariables.read(fields, "runtimeVariables")
    readContent(fields, into: &card)
    return card
  }

  private static func readInstance(_ instance: JSONFields, into card: inout Card) {
    card.status = instance.string("status")
    card.eventName = instance.string("eventName")
    card.lifecycleID = instance.string("lifecycleId")
    card.createdAt =
      AtomicText.date(instance, "created") ?? AtomicText.date(instance, "createdDate")
    card.isDismissed = card.status.map { closed.contains(JSONKey($0)) } ?? false
    if let status = card.status { card.handle["status"] = .string(status) }
  }

  private static func readMetadata(_ metadata: JSONFields, into card: inout Card) {
    card.createdAt = card.createdAt ?? AtomicText.date(metadata, "receivedAt")
    card.updatedAt = AtomicText.date(metadata, "updatedAt")
    card.activeAt = AtomicText.date(metadata, "lastCardActiveTime")
    card.expiresAt = AtomicText.date(metadata, "expiryDate")
    if let priority = metadata.integer("priority"), (1...10).contains(priority) {
      card.priority = Int(priority)
    }
    card.actions.menuStyle = metadata.string("menuOption").map(Card.Actions.MenuStyle.init)
    card.metadata = metadata.json("payloadMetadata")?.object ?? [:]
  }

  private static let offers: [(word: JSONKey, offer: Card.Actions.Offer)] = [
    ("dismiss", .dismiss), ("snooze", .snooze), ("voteUp", .voteUp), ("voteDown", .voteDown),
  ]

  private static func readActions(_ actions: JSONFields, into card: inout Card) {
    let style = card.actions.menuStyle
    var (swipe, menu): (Card.Actions.Offer, Card.Actions.Offer) = ([], [])
    for (word, offer) in offers {
      guard let ways = actions.fields(word) else { continue }
      if ways.flag("swipe") == true { swipe.insert(offer) }
      if ways.flag("overflow") == true { menu.insert(offer) }
    }
    card.actions = Card.Actions(swipe: swipe, menu: menu)
    card.actions.menuStyle = style
    card.isDismissible = card.actions.canDismiss
  }

  // MARK: Content

  private static func readContent(_ fields: JSONFields, into card: inout Card) {
    let content = AtomicNodes(fields.fields("defaultView")?.objects("nodes") ?? [])
    card.components = content.components
    card.buttons = content.buttons
    card.subviews = subviews(fields)
    card.setSummary()
    let payloads = payloads(of: card)
    if !payloads.isEmpty { card.handle["payloads"] = .object(payloads) }
  }

  /// The payloads that submit buttons have for the application, by the buttons' names. They are handed
  /// over when Atomic has taken a submission, which may be after a restart.
  private static func payloads(of card: Card) -> JSONObject {
    var payloads = JSONObject()
    for button in card.buttons + card.subviews.flatMap(\.buttons) {
      guard case .submit(let name?, _) = button.action, payloads[name] == nil else { continue }
      payloads[name] = button.attributes["payload"]
    }
    return payloads
  }

  private static func subviews(_ fields: JSONFields) -> [Card.Subview] {
    (fields.fields("subviews")?.members ?? []).compactMap { member in
      guard let subview = try? JSONFields(member.value) else { return nil }
      let content = AtomicNodes(subview.objects("nodes") ?? [])
      return Card.Subview(
        member.key, title: subview.string("title"), components: content.components,
        buttons: content.buttons)
    }
  }
}

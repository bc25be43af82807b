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
    card.createdAt = AtomicText.date(instance, "createdDate")
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
    card.metadata = metadata.json("payloadMetadata")?.object ?? [:]
  }

  private static func readActions(_ actions: JSONFields, into card: inout Card) {
    card.actions = Card.Actions(
      canDismiss: isAllowed(actions, "dismiss"), canSnooze: isAllowed(actions, "snooze"),
      canVoteUp: isAllowed(actions, "voteUp"), canVoteDown: isAllowed(actions, "voteDown"))
    card.isDismissible = card.actions.canDismiss
  }

  /// Whether swiping or the card's menu allows the action. The neutral card has one flag for both.
  private static func isAllowed(_ actions: JSONFields, _ name: JSONKey) -> Bool {
    guard let ways = actions.fields(name) else { return false }
    return ways.flag("swipe") == true || ways.flag("overflow") == true
  }

  // MARK: Content

  private static func readContent(_ fields: JSONFields, into card: inout Card) {
    let content = AtomicNodes(fields.fields("defaultView")?.objects("nodes") ?? [])
    card.components = content.components
    card.buttons = content.buttons
    card.subviews = subviews(fields)
    let variables = AtomicVariables(card.runtimeVariables)
    card.title = content.first(.headline)?.text.map(variables.filled)
    card.text = content.first(.text)?.text.map(variables.filled)
    guard let image = content.first(.image) else { return }
    // The default of a variable can make the address one that runs code.
    card.imageURLText = VendorURL.checked(image.urlText.map(variables.filled))
    card.imageAlt = image.attributes["alt"]?.string.map(variables.filled)
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

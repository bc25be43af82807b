import EngagementJSON
import EngagementModel

/// Maps the vendor's bytes to items.
///
/// | field | absent | wrong type | unknown value |
/// |---|---|---|---|
/// | `id` of any item, `template` | set aside | set aside | empty, `.` or `..` as an id: set aside |
/// | `kind` of a card | `classic` | `classic` | not mapped |
/// | texts, numbers, times | none | none | times beyond the year 9999: none |
/// | addresses | none | none | dropped where it can run code |
/// | truth values | false | false; 0 and 1 are taken | |
/// | `extras`, `custom`, `arguments` | empty | empty | kept |
enum MemoryItems {
  private static let kinds: [Card.Kind] = [.banner, .captionedImage, .classic, .control]

  static func card(
    in item: RawItem, of provider: ProviderID
  ) throws(EngagementError) -> Card {
    let fields = try fields(of: item)
    let id = try id(in: fields, of: provider)
    let kind = Card.Kind(fields.string("kind") ?? Card.Kind.classic.rawValue)
    guard kinds.contains(kind) else {
      throw EngagementError(.unsupported, "The card's kind is unknown.")
    }
    var card = Card(id, vendor: MemoryProtocol.vendor, kind: kind)
    readContent(of: &card, from: fields)
    readState(of: &card, from: fields)
    return card
  }

  private static func readContent(of card: inout Card, from fields: JSONFields) {
    card.title = fields.string("title")
    card.text = fields.string("text")
    let image = fields.fields("image")
    card.imageURLText = VendorURL.checked(image?.string("url"))
    card.imageAlt = image?.string("alt")
    let link = fields.fields("link")
    card.urlText = VendorURL.checked(link?.string("url"))
    card.linkText = link?.string("text")
    card.language = fields.string("language")
    card.extras = fields.json("extras")?.object ?? [:]
  }

  private static func readState(of card: inout Card, from fields: JSONFields) {
    card.createdAt = MemoryTimes.date(fields.integer("created"))
    card.updatedAt = MemoryTimes.date(fields.integer("updated"))
    card.expiresAt = MemoryTimes.date(fields.integer("expires"))
    card.priority = fields.integer("priority").flatMap { (1...10).contains($0) ? Int($0) : nil }
    card.isPinned = fields.flag("pinned") ?? false
    card.isDismissible = fields.flag("dismissible") ?? false
    card.isViewed = fields.flag("viewed") ?? false
    card.actions.canDismiss = card.isDismissible
  }

  static func message(
    in item: RawItem, of provider: ProviderID
  ) throws(EngagementError) -> InboxMessage {
    let fields = try fields(of: item)
    var message = InboxMessage(try id(in: fields, of: provider), vendor: MemoryProtocol.vendor)
    message.subject = fields.string("subject")
    message.text = fields.string("text")
    message.detailURLText = VendorURL.checked(fields.string("page"))
    message.iconURLText = VendorURL.checked(fields.string("icon"))
    message.imageURLText = VendorURL.checked(fields.string("image"))
    message.isRead = fields.flag("read") ?? false
    message.createdAt = MemoryTimes.date(fields.integer("created"))
    message.expiresAt = MemoryTimes.date(fields.integer("expires"))
    message.collapseKey = fields.string("collapse")
    message.custom = fields.json("custom")?.object ?? [:]
    message.tags = fields.strings("tags") ?? []
    return message
  }

  static func campaign(
    in item: RawItem, of provider: ProviderID
  ) throws(EngagementError) -> Campaign {
    let fields = try fields(of: item)
    guard let template = fields.string("template"), !template.isEmpty else {
      throw lacks("template")
    }
    var campaign = Campaign(
      try id(in: fields, of: provider), vendor: MemoryProtocol.vendor, template: template)
    campaign.arguments = fields.json("arguments")?.object ?? [:]
    campaign.priority = fields.integer("priority").flatMap(Int.init(exactly:))
    campaign.expiresAt = MemoryTimes.date(fields.integer("expires"))
    campaign.isExcludedFromCaps = fields.flag("uncapped") ?? false
    campaign.triggers =
      fields.json("triggers").flatMap {
        try? [Campaign.Trigger](JSONField(value: $0, place: "triggers"))
      } ?? []
    campaign.limits =
      fields.json("limits")?.array?.map { limit in
        limit["perDay"]?.integer.flatMap(Int.init(exactly:)).map { Campaign.Limit(.day, $0) }
          ?? .unreadable
      } ?? []
    return campaign
  }

  // MARK: Common fields

  private static func fields(of item: RawItem) throws(EngagementError) -> JSONFields {
    do throws(JSONFault) { return try JSONFields(item) } catch { throw EngagementError(error) }
  }

  /// The id. It is refused if a URL path cannot carry it unchanged.
  private static func id(
    in fields: JSONFields, of provider: ProviderID
  ) throws(EngagementError) -> ItemID {
    guard let id = fields.string("id"), !["", ".", ".."].contains(id) else { throw lacks("id") }
    return ItemID(provider, id)
  }

  private static func lacks(_ field: String) -> EngagementError {
    EngagementError(.malformedResponse, "An item has no \(field).")
  }
}

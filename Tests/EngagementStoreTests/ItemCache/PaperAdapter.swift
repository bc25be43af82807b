import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import Foundation

/// An invented vendor with one simple format of items on every surface, in any order.
///
/// A card is `{"id", "x": its title, "n": priority, "a": active, "c": created, "e": end, "p":
/// pinned, "v": viewed, "l": clicked, "d": dismissed, "t": test, "w": control}`; a message has
/// `"r": read` and `"k": collapse key`. Both have `"g"` as their extra `sku`. An item with `"kind"` is
/// of an unknown kind.
struct PaperAdapter: EngagementAdapter {
  let vendor: Vendor = "paper"
  let capabilities: AdapterCapabilities
  /// The provider that the adapter writes into items; the store overrides it.
  let provider: ProviderID

  init(_ provider: ProviderID = "paper", cards: FeedOrder = .asSent, inbox: FeedOrder = .asSent) {
    self.provider = provider
    capabilities = AdapterCapabilities(
      abilities: [:], hosts: AllowedHosts([]), order: [.cards: cards, .inbox: inbox])
  }

  func step(
    for operation: EngagementAdapterAPI.Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step { .done([]) }

  func answer(
    to operation: EngagementAdapterAPI.Operation, from response: HTTPResponse,
    in context: AdapterContext
  ) -> Answer { Answer() }

  func card(in item: RawItem) throws(EngagementError) -> Card {
    let fields = try fields(item)
    var card = Card(try id(fields), vendor: vendor, kind: .classic)
    card.title = fields.string("x")
    card.priority = fields.integer("n").map { Int($0) }
    card.activeAt = date(fields, "a")
    card.createdAt = date(fields, "c")
    card.expiresAt = date(fields, "e")
    card.isPinned = fields.flag("p") ?? false
    card.isViewed = fields.flag("v") ?? false
    card.isClicked = fields.flag("l") ?? false
    card.isDismissed = fields.flag("d") ?? false
    card.isTest = fields.flag("t") ?? false
    if fields.flag("w") == true { card.kind = .control }
    card.extras["sku"] = fields.json("g")
    card.handle = ["of": .string(card.id.value)]
    return card
  }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    let fields = try fields(item)
    var message = InboxMessage(try id(fields), vendor: vendor)
    message.subject = fields.string("x")
    message.createdAt = date(fields, "c")
    message.expiresAt = date(fields, "e")
    message.isRead = fields.flag("r") ?? false
    message.collapseKey = fields.string("k")
    message.custom["sku"] = fields.json("g")
    return message
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    let fields = try fields(item)
    var campaign = Campaign(try id(fields), vendor: vendor, template: fields.string("x") ?? "")
    campaign.expiresAt = date(fields, "e")
    return campaign
  }

  private func fields(_ item: RawItem) throws(EngagementError) -> JSONFields {
    let fields: JSONFields
    do throws(JSONFault) { fields = try JSONFields(item) } catch { throw EngagementError(error) }
    if fields.string("kind") != nil { throw EngagementError(.unsupported, "A kind of its own") }
    return fields
  }

  private func id(_ fields: JSONFields) throws(EngagementError) -> ItemID {
    guard let id = fields.string("id") else {
      throw EngagementError(.malformedResponse, "There is no id")
    }
    return ItemID(provider, id)
  }

  private func date(_ fields: JSONFields, _ key: JSONKey) -> Date? {
    fields.number(key).map(Date.init(timeIntervalSince1970:))
  }
}

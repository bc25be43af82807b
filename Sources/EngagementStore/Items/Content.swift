import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import FoundationEssentials

/// An item as its adapter understands it: one reference, so that moving it is cheap.
enum Content: Hashable, Sendable {
  case card(Card)
  indirect case message(InboxMessage)
  indirect case campaign(Campaign)
}

extension Content {
  var id: ItemID {
    switch self {
    case .card(let card): card.id
    case .message(let message): message.id
    case .campaign(let campaign): campaign.id
    }
  }

  var name: ItemName { ItemName(id.value) }

  var expiresAt: Date? {
    switch self {
    case .card(let card): card.expiresAt
    case .message(let message): message.expiresAt
    case .campaign(let campaign): campaign.expiresAt
    }
  }

  /// Whether it was sent to a test user.
  var isTest: Bool { if case .card(let card) = self { card.test } else { false } }

  /// Where it stands in that order; the lower comes first.
  func rank(in order: FeedOrder) -> FeedRank {
    switch self {
    case .card(let card): card.rank(in: order)
    case .message(let message): message.rank(in: order)
    case .campaign: .none
    }
  }

  /// How an action speaks of it.
  func reference(in container: ContainerID?) -> ItemReference {
    switch self {
    case .card(var card):
      card.container = card.container ?? container
      return ItemReference(card)
    case .message(let message): return ItemReference(message)
    case .campaign(let campaign):
      return ItemReference(campaign.id, on: .campaigns, handle: campaign.handle)
    }
  }
}

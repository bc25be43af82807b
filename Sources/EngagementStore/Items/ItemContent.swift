import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// An item as its adapter understands it. Messages and campaigns are indirect, so that moving is
/// cheap.
enum ItemContent: Hashable, Sendable {
  case card(Card)
  indirect case message(InboxMessage)
  indirect case campaign(Campaign)
}

extension ItemContent {
  var id: ItemID {
    switch self {
    case .card(let card): card.id
    case .message(let message): message.id
    case .campaign(let campaign): campaign.id
    }
  }

  var name: ItemKey { ItemKey(id.value) }

  var expiresAt: Date? {
    switch self {
    case .card(let card): card.expiresAt
    case .message(let message): message.expiresAt
    case .campaign(let campaign): campaign.expiresAt
    }
  }

  /// Which content the item is a copy of; nil if it has no key.
  var contentKey: ContentKey? {
    switch self {
    case .card(let card): card.contentKey
    case .message(let message): message.contentKey
    case .campaign: nil
    }
  }

  /// Whether the vendor sent the item to a test user.
  var isTest: Bool { if case .card(let card) = self { card.isTest } else { false } }

  /// The rank in that order; the lowest comes first.
  func rank(in order: FeedOrder) -> FeedRank {
    switch self {
    case .card(let card): card.rank(in: order)
    case .message(let message): message.rank(in: order)
    case .campaign: .none
    }
  }

  /// The reference that an action on the item needs.
  func reference(in container: ContainerID?) -> ItemReference {
    switch self {
    case .card(var card):
      card.container = card.container ?? container
      return ItemReference(card)
    case .message(let message): return ItemReference(message)
    case .campaign(let campaign):
      return ItemReference(campaign)
    }
  }
}

/// A vendor's own id of an item, equal only to the same bytes.
struct ItemKey: ByteComparable {
  let rawValue: String

  var bytes: [UInt8] { Array(rawValue.utf8) }
}

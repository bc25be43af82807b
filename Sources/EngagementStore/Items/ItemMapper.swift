import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// Maps the items of one provider on one surface.
struct ItemMapper: Sendable {
  let adapter: any EngagementAdapter
  let provider: ProviderID
  let surface: Surface
  let order: FeedOrder
  /// What says which content an item is a copy of; nil for items without content keys.
  let keySource: ContentKeySource?

  init(
    _ adapter: any EngagementAdapter, for provider: ProviderID, on surface: Surface,
    keyedBy keySource: ContentKeySource? = nil
  ) {
    self.adapter = adapter
    self.provider = provider
    self.surface = surface
    self.keySource = surface == .campaigns ? nil : keySource
    order = adapter.capabilities.order(of: surface)
  }

  /// The result of mapping an item.
  enum Reading {
    case content(ItemContent)
    /// The adapter does not know the item's kind.
    case unknown
    case bad(reason: String)
  }

  func read(_ item: RawItem) -> Reading {
    if let fault = item.fault {
      return .bad(reason: "\(EngagementError(fault).message) (\(fault))")
    }
    do throws(EngagementError) {
      return .content(try content(of: item))
    } catch {
      return error.code == .unsupported ? .unknown : .bad(reason: error.message)
    }
  }

  /// The content of stored bytes; nil if the adapter does not understand them any more.
  func content(of body: [UInt8], hash: UInt64) -> ItemContent? {
    try? content(of: RawItem(index: 0, uncheckedBytes: body[...], hash: hash))
  }

  private func content(of item: RawItem) throws(EngagementError) -> ItemContent {
    // An action goes to the provider of the item's id, so the id gets the provider that sent the
    // item.
    switch surface {
    case .inbox:
      var message = try adapter.message(in: item)
      message.id.provider = provider
      message.contentKey = try? keySource?.key(of: message)
      return .message(message)
    case .campaigns:
      var campaign = try adapter.campaign(in: item)
      campaign.id.provider = provider
      return .campaign(campaign)
    default:
      var card = try adapter.card(in: item)
      card.id.provider = provider
      // A control card is on no screen, so no other card stands for it.
      if let keySource, card.kind != .control { card.contentKey = try? keySource.key(of: card) }
      return .card(card)
    }
  }

  /// Why the item has no content key although it has what should be one; nil if nothing is wrong.
  func keyFault(of content: ItemContent) -> ContentKey.Absence? {
    guard let keySource, content.contentKey == nil else { return nil }
    do throws(ContentKey.Absence) {
      switch content {
      case .card(let card) where card.kind != .control: _ = try keySource.key(of: card)
      case .message(let message): _ = try keySource.key(of: message)
      case .card, .campaign: break
      }
      return nil
    } catch {
      return error == .missing ? nil : error
    }
  }
}

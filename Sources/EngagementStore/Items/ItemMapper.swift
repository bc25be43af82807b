import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// Makes content of the bytes of one provider on one surface.
struct ItemMapper: Sendable {
  let adapter: any EngagementAdapter
  let provider: ProviderID
  let surface: Surface
  let order: FeedOrder

  init(_ adapter: any EngagementAdapter, for provider: ProviderID, on surface: Surface) {
    self.adapter = adapter
    self.provider = provider
    self.surface = surface
    order = adapter.capabilities.order(of: surface)
  }

  /// What became of an item's bytes.
  enum Reading {
    case content(Content)
    /// A kind that the adapter does not know, which is no fault of the item.
    case unknown
    case bad(reason: String)
  }

  func read(_ item: RawItem) -> Reading {
    if let fault = item.fault { return .bad(reason: fault.description) }
    do throws(EngagementError) {
      return .content(try content(of: item))
    } catch {
      return error.code == .unsupported ? .unknown : .bad(reason: error.message)
    }
  }

  /// The content of bytes that were kept; nil where the adapter does not take them any more.
  func content(of body: [UInt8], hash: UInt64) -> Content? {
    try? content(of: RawItem(index: 0, uncheckedBytes: body[...], hash: hash))
  }

  private func content(of item: RawItem) throws(EngagementError) -> Content {
    // An action goes to the provider of the id, so it is the one that sent the item, whatever the
    // adapter was told.
    switch surface {
    case .inbox:
      var message = try adapter.message(in: item)
      message.id.provider = provider
      return .message(message)
    case .campaigns:
      var campaign = try adapter.campaign(in: item)
      campaign.id.provider = provider
      return .campaign(campaign)
    default:
      var card = try adapter.card(in: item)
      card.id.provider = provider
      return .card(card)
    }
  }
}

import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementStore

/// What a candidate lists, by its answer to one reading.
struct ShadowList: Sendable {
  private(set) var cards: [Card] = []
  private(set) var messages: [InboxMessage] = []
  /// How many items could not be read.
  private(set) var unreadable = 0

  /// Whether the answer says that nothing has changed since an earlier one, which the cache has.
  static func isUnchanged(_ feed: Feed, by changes: [Change]) -> Bool {
    changes.contains { if case .unchanged(feed) = $0 { true } else { false } }
      && listed(feed, by: changes) == nil
  }

  /// Nil if the answer has no complete list of the feed.
  init?(_ changes: [Change], of feed: Feed, from provider: Provider, _ keys: ContentKeySource?) {
    guard let items = Self.listed(feed, by: changes) else { return nil }
    var gone: Set<ItemID> = []
    for case .removed(feed, let ids) in changes {
      gone.formUnion(ids.map { ItemID(provider.id, $0) })
    }
    for item in items {
      do throws(EngagementError) {
        if let fault = item.fault { throw EngagementError(fault) }
        if feed.surface == .inbox {
          messages.append(try provider.message(in: item, keys))
        } else {
          cards.append(try provider.card(in: item, keys))
        }
      } catch {
        // Of an unknown kind is no item.
        if error.code != .unsupported { unreadable += 1 }
      }
    }
    cards.removeAll { gone.contains($0.id) }
    messages.removeAll { gone.contains($0.id) }
    put(inOrderOf: provider)
  }

  /// The list that the cache has of the feed; nil if it has none.
  init?(_ loaded: LoadedFeeds) {
    let dates = loaded.cards.values.map(\.refreshedAt) + loaded.messages.values.map(\.refreshedAt)
    guard dates.contains(where: { $0 != nil }) else { return nil }
    cards = loaded.cards.values.flatMap(\.shown)
    messages = loaded.messages.values.flatMap(\.shown)
  }

  private mutating func put(inOrderOf provider: Provider) {
    let capabilities = provider.adapter.capabilities
    cards = cards.sorted(by: capabilities.order(of: .cards))
    messages = messages.collapsed().sorted(by: capabilities.order(of: .inbox))
  }

  /// The items that would be on screens, as far as a source has them.
  func items(of source: ContainerMap.Source?, at now: Date) -> [ShadowItem] {
    guard let source else {
      return messages.filter { !$0.hasEnded(at: now) }.map { ShadowItem($0) }
    }
    return cards.filter { card in
      card.kind != .control && !card.isDismissed && !card.hasEnded(at: now) && source.shows(card)
    }.map { ShadowItem($0) }
  }

  /// The last complete list, with what was put to it afterwards.
  private static func listed(_ feed: Feed, by changes: [Change]) -> [RawItem]? {
    var listed: [RawItem]?
    for case .items(feed, let mode, let items) in changes {
      switch mode {
      case .replace: listed = items
      case .put: listed? += items
      case .patch: continue
      }
    }
    return listed
  }
}

extension Provider {
  // As the store maps items: with the provider's id, and the content key that the application configured.

  fileprivate func card(
    in item: RawItem, _ keys: ContentKeySource?
  ) throws(EngagementError) -> Card {
    var card = try adapter.card(in: item)
    card.id.provider = id
    if let keys, card.kind != .control { card.contentKey = try? keys.key(of: card) }
    return card
  }

  fileprivate func message(
    in item: RawItem, _ keys: ContentKeySource?
  ) throws(EngagementError) -> InboxMessage {
    var message = try adapter.message(in: item)
    message.id.provider = id
    message.contentKey = try? keys?.key(of: message)
    return message
  }
}

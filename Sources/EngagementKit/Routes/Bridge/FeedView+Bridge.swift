import EngagementModel
import EngagementStore

extension FeedView<InboxMessage> {
  /// The cards of all feeds of a provider as messages, each once, without control cards. Those of one
  /// feed stay in their order.
  init(showing views: [FeedView<Card>]) {
    var cards = views.first?.shown ?? []
    if views.count > 1 {
      var seen: Set<ItemID> = []
      cards = FeedMerge.cards(views.map(\.shown)).filter { seen.insert($0.id).inserted }
    }
    self.init(
      items: cards.map { InboxMessage(showing: $0) },
      // The inbox is as old as the oldest of its parts.
      refreshedAt: views.compactMap(\.refreshedAt).min(),
      validUntil: views.compactMap(\.validUntil).min())
  }
}

extension FeedView<Card> {
  /// The messages of a provider as cards, in their order.
  init(showing messages: FeedView<InboxMessage>, canDismiss: Bool) {
    self.init(
      items: messages.items.map { Card(showing: $0, canDismiss: canDismiss) },
      total: messages.total, refreshedAt: messages.refreshedAt, validUntil: messages.validUntil)
  }
}

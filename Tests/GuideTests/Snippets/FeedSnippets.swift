import EngagementKit
import Foundation

func cards(_ engagement: Engagement) async throws {
  let feed = engagement.cards(in: "home")  // from memory, without waiting
  print("\(feed.cards.count) of \(feed.total) cards, \(feed.unreadCount) new")
  for card in feed.cards {
    print(card.kind, card.title ?? card.imageAlt ?? "", card.imageURL as Any, card.url as Any)
  }
  for provider in feed.providers {
    print(provider, feed.refreshDate(of: provider) as Any)  // nil: never heard
  }
  print(engagement.cardCount(in: "home").unread)
}

func cardUpdates(_ engagement: Engagement, show: (Engagement.CardFeed) -> Void) async {
  let options = Engagement.CardOptions(
    filters: [.priority(.atMost(5)), .variable("city", .equals("Varna"))], interval: .seconds(1))
  for await feed in engagement.cardUpdates(in: "home", options: options) {
    show(feed)  // the present feed first; the loop ends at a sign-out and at `close()`
  }
}

func screen(_ engagement: Engagement, _ card: Card) {
  engagement.recordScreenEvent(.visible(card.id, fraction: 0.8))
  engagement.recordScreenEvent(.hidden(card.id))
}

func presentation(_ feed: Engagement.CardFeed) {
  var screen = Engagement.CardPresentation(title: "Offers", setting: .modal)
  for card in feed.cards where screen.marksUnread(card) { print("new: \(card.id)") }
  print(screen.unreadCount(in: feed) ?? 0, screen.hasCloseButton)
  screen.close()
}

func inbox(_ engagement: Engagement) async throws {
  for message in engagement.inbox.messages where !message.isRead {
    print(message.subject ?? "", message.text ?? "", message.detailURL as Any)
    try await engagement.perform(.read, on: message)
  }
  for await feed in engagement.inboxUpdates { print("\(feed.unreadCount) unread") }
}

func bridge(_ engagement: Engagement) async throws {
  try await engagement.setRoute(.merge(["vibes", "braze"]), for: .inbox)
  for provider in engagement.routes.inbox.providers {
    print(provider, try engagement.isBridged(provider, on: .inbox) ? "shows cards" : "")
  }
}

func images(_ engagement: Engagement, _ card: Card) async {
  if let address = card.imageURLText, let path = try? await engagement.imageFile(at: address) {
    print("draw \(path)")
  }
}

func actions(_ engagement: Engagement, id: ItemID) async throws {
  guard let card = engagement.card(id), card.actions.canDismiss else { return }
  let receipt = try await engagement.perform(.dismiss, on: card)  // accepted: survives a kill
  let outcome = try await receipt.outcome(within: .seconds(5))
  if case .rejected(let error) = outcome { print("undone: \(error.message)") }
  print(outcome?.description ?? "waits; run() sends it later")
}

func pending(_ engagement: Engagement) async throws {
  for (provider, count) in try await engagement.pendingCounts { print("\(provider): \(count)") }
  let old = try await engagement.pendingActions().filter { $0.attempts > 20 }
  let dropped = try await engagement.discard(old.map(\.id))
  print("\(dropped) dropped")
}

func events(_ engagement: Engagement) async throws {
  try await engagement.track("signed-up", ["plan": "gold"])
  try await engagement.track(
    .purchase, name: "cortado", ["price": 2.5, "currency": "EUR", "quantity": 1])
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import Foundation
import Testing

@Suite struct FeedOrderTests {
  private func card(
    _ id: String, priority: Int? = nil, active: Double? = nil, created: Double? = nil,
    pinned: Bool = false
  ) -> Card {
    var card = Card(ItemID("a", id), vendor: "a", kind: .classic)
    card.priority = priority
    card.activeAt = active.map(Date.init(timeIntervalSince1970:))
    card.createdAt = created.map(Date.init(timeIntervalSince1970:))
    card.isPinned = pinned
    return card
  }

  private func message(_ id: String, _ created: Double?, key: String? = nil) -> InboxMessage {
    var message = InboxMessage(ItemID("a", id), vendor: "a")
    message.createdAt = created.map(Date.init(timeIntervalSince1970:))
    message.collapseKey = key
    return message
  }

  @Test("`byPriority` sorts by priority with absent as 5, then latest active, then latest created")
  func byPriority() {
    let cards = [
      card("g", priority: 9), card("d", created: 1), card("e"), card("f", priority: 6),
      card("a", priority: 1), card("c", active: 1), card("b", priority: 5, active: 2),
    ]
    #expect(cards.sorted(by: .byPriority).map(\.id.value) == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test(
    "`newestFirst` puts pinned cards first and cards without a time last; ties keep the sent order")
  func newestFirst() {
    let cards = [
      card("d"), card("b", created: 5), card("c", created: 5), card("a", created: 1, pinned: true),
      card("e"),
    ]
    #expect(cards.sorted(by: .newestFirst).map(\.id.value) == ["a", "b", "c", "d", "e"])
  }

  @Test("`asSent` keeps the order in which the cards were sent")
  func asSent() {
    let cards = [card("b", priority: 9), card("a", priority: 1)]
    #expect(cards.sorted(by: .asSent) == cards)
  }

  @Test("X3: `byPriority` sorts distinct cards into one order, whatever order they arrive in")
  func stable() {
    let cards = (0..<40).map { card("\($0)", priority: $0 % 4, active: Double($0)) }
    let expected = cards.sorted(by: .byPriority)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20 { #expect(cards.shuffled(using: &random).sorted(by: .byPriority) == expected) }
  }

  @Test("messages sort newest first, and those without a time come last")
  func messages() {
    let messages = [message("c", nil), message("b", 1), message("a", 2)]
    #expect(messages.sorted(by: .newestFirst).map(\.id.value) == ["a", "b", "c"])
  }

  @Test(
    "V8: only the newest message of each collapse key stays",
    arguments: [
      ([("a", 1.0, "k"), ("b", 2.0, "k")], ["b"]),
      ([("b", 2.0, "k"), ("a", 1.0, "k")], ["b"]),
      ([("a", 2.0, "k"), ("b", 2.0, "k")], ["a"]),
      ([("a", nil, "k"), ("b", 1.0, "k")], ["b"]),
      (
        [("a", 1.0, "k"), ("b", 2.0, "l"), ("c", 3.0, nil), ("d", 4.0, nil)], ["a", "b", "c", "d"]
      ),
      ([("a", 1.0, "caf\u{e9}"), ("b", 2.0, "cafe\u{301}")], ["a", "b"]),
      ([], []),
    ] as [([(String, Double?, String?)], [String])])
  func collapse(messages: [(String, Double?, String?)], left: [String]) {
    let messages = messages.map { message($0.0, $0.1, key: $0.2) }
    #expect(messages.collapsed().map(\.id.value) == left)
  }
}

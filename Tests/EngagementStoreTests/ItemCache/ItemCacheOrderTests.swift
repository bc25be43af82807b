import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct ItemCacheOrderTests {
  /// A card with few different values, so that ties and absent ones are common.
  private func card(_ id: Int, _ random: inout SplitMix64) -> String {
    var members = [#""id":"\#(id)""#]
    for name in ["n", "a", "c"] where random.next() % 3 != 0 {
      members.append(#""\#(name)":\#(random.next() % 4)"#)
    }
    if random.next() % 4 == 0 { members.append(#""p":true"#) }
    return "{\(members.joined(separator: ","))}"
  }

  private func sorted(_ texts: [String], by order: FeedOrder) throws -> [String] {
    let adapter = PaperAdapter()
    var cards: [Card] = []
    for item in raw(texts) { cards.append(try adapter.card(in: item)) }
    return cards.sorted(by: order).map(\.id.value)
  }

  @Test(
    "X3: the index order equals a sort of the list, including ties and absent values",
    arguments: [FeedOrder.asSent, .newestFirst, .byPriority], [1, 2, 3, 4] as [UInt64])
  func order(order: FeedOrder, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stand = try ItemCacheStand(PaperAdapter(cards: order))
    var texts = (0..<60).map { card($0, &random) }
    for step in 0..<12 {
      try stand.commit(.list(texts))
      #expect(try stand.ids() == sorted(texts, by: order))
      if step % 4 == 3 {
        try stand.restart()
        #expect(try stand.ids() == sorted(texts, by: order))
      }
      let moved = texts.remove(at: Int(random.next() % 50))
      texts.insert(moved, at: Int(random.next() % 50))
      texts.remove(at: Int(random.next() % 50))
      texts.insert(card(100 + step, &random), at: Int(random.next() % 50))
    }
  }

  @Test(
    "the rows themselves are stored in the vendor's order",
    arguments: [FeedOrder.asSent, .newestFirst, .byPriority])
  func rows(order: FeedOrder) throws {
    var random = SplitMix64(seed: 11)
    let stand = try ItemCacheStand(PaperAdapter(cards: order))
    let texts = (0..<60).map { card($0, &random) }
    try stand.commit(.list(texts))
    var walk = Statement(
      """
      SELECT CAST(name AS TEXT) FROM membership JOIN item ON item.id = membership.item
      ORDER BY feed, rank1, rank2, rank3, place
      """)
    let rows = try stand.with { (_, database) throws(EngagementError) in
      try database.all(&walk) { $0.text(0) }
    }
    #expect(rows == (try sorted(texts, by: order)))
  }

  @Test("messages are listed in the vendor's order", arguments: [FeedOrder.asSent, .newestFirst])
  func messages(order: FeedOrder) throws {
    var random = SplitMix64(seed: 3)
    let stand = try ItemCacheStand(PaperAdapter(inbox: order))
    let texts = (0..<40).map { card($0, &random) }
    try stand.commit(.list(texts, in: .inbox))
    var messages: [InboxMessage] = []
    for item in raw(texts) { messages.append(try PaperAdapter().message(in: item)) }
    #expect(try stand.inbox().items.map(\.id.value) == messages.sorted(by: order).map(\.id.value))
  }

  @Test("a new feed order in an adapter applies to items already cached")
  func newOrder() throws {
    let stand = try ItemCacheStand(PaperAdapter(cards: .asSent))
    let texts = [#"{"id":"a","n":9}"#, #"{"id":"b","n":1}"#, #"{"id":"c","n":4}"#]
    try stand.commit(.list(texts))
    var itemCache = ItemCache(adapters: ["paper": PaperAdapter(cards: .byPriority)])
    let (person, now) = (stand.person, stand.now)
    let view = try stand.with { (_, database) throws(EngagementError) in
      try itemCache.cards(in: FeedKey("paper", .cards), of: person, at: now, on: &database)
    }
    #expect(view.items.map(\.id.value) == ["b", "c", "a"])
  }

  @Test("A21: control cards are in a full view but not among the first cards")
  func control() throws {
    let stand = try ItemCacheStand()
    let end = ItemCacheStand.start.timeIntervalSince1970 + 60
    try stand.commit(.list([#"{"id":"a","w":true,"e":\#(end)}"#, #"{"id":"b"}"#]))
    for _ in 0..<2 {
      #expect(try stand.firstIDs() == ["b"])
      #expect(try stand.ids() == ["a", "b"])
      #expect(try stand.view().validUntil == ItemCacheStand.start + 60)
      try stand.restart()
    }
  }
}

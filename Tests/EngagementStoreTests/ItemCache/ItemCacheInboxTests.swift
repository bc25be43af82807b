import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials
import Testing

@testable import EngagementStore

@Suite struct ItemCacheInboxTests {
  private func card(_ id: String, _ rest: String = "") -> String {
    #"{"id":"\#(id)"\#(rest.isEmpty ? "" : ",\(rest)")}"#
  }

  @Test("the inbox merges all inbox feeds without duplicates, collapsed, in the vendor's order")
  func inbox() throws {
    let stand = try ItemCacheStand(PaperAdapter(inbox: .newestFirst))
    let other = Feed(.inbox, in: "offers")
    try stand.commit(
      .list([card("d", #""c":1"#), card("a", #""c":9"#)], in: other),
      .list(
        [card("a", #""c":9"#), card("b", #""c":5,"k":"k""#), card("c", #""c":4,"k":"k""#)],
        in: .inbox), .total(.inbox, 30), .total(other, 12))
    let view = try stand.inbox()
    #expect(view.items.map(\.id.value) == ["a", "b", "d"])
    #expect(view.total == 42)
    #expect(view.refreshedAt == stand.now)
    try stand.act(.read, on: "b", .inbox)
    try stand.act(.delete, on: "a", .inbox)
    #expect(try stand.inbox().items.map(\.isRead) == [true, false])
    try stand.restart()
    #expect(try stand.inbox().items.map(\.id.value) == ["b", "d"])
  }

  @Test("reading the inbox again reflects every change since the last read")
  func inboxAgain() throws {
    let stand = try ItemCacheStand()
    let end = ItemCacheStand.start.timeIntervalSince1970 + 60
    let texts = [card("a"), card("b", #""e":\#(end)"#), card("c")]
    func seen() throws -> [String] {
      try stand.inbox().items.map { $0.id.value + ($0.isRead ? " read" : "") }
    }
    try stand.commit(.list(texts, in: .inbox))
    #expect(try seen() == ["a", "b", "c"])
    try stand.act(.read, on: "a", .inbox)
    #expect(try seen() == ["a read", "b", "c"])
    try stand.undo(.read, on: "a", .inbox)
    #expect(try seen() == ["a", "b", "c"])
    stand.now += 30
    try stand.commit(.list(texts, in: .inbox))
    #expect(try seen() == ["a", "b", "c"])
    #expect(try stand.inbox().refreshedAt == stand.now)
    stand.now += 30
    #expect(try seen() == ["a", "c"])
    stand.now -= 60
    #expect(try seen() == ["a", "b", "c"])
    try stand.commit(.list([card("c", #""r":true"#), card("a"), card("d")], in: .inbox))
    #expect(try seen() == ["c read", "a", "d"])
    try stand.commit(.list([card("e")], in: Feed(.inbox, in: "offers")))
    #expect(try seen() == ["c read", "a", "d", "e"])
    stand.person = ItemCacheStand.people[1]
    #expect(try seen() == [])
  }
}

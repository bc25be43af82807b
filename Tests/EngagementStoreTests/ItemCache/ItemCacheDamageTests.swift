import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct ItemCacheDamageTests {
  private let stand: ItemCacheStand

  init() throws { stand = try ItemCacheStand() }

  private func card(_ id: String, _ title: String) -> String {
    #"{"id":"\#(id)","x":"\#(title)"}"#
  }

  private var damaged: Int {
    get throws {
      try stand.with { (itemCache, database) throws(EngagementError) in
        try itemCache.damagedItems(of: stand.person, on: &database)
      }
    }
  }

  @Test(
    "G9: a flipped bit in body, name or checksum hides the card until the next list restores it",
    arguments: ["body", "name", "seal"], 0..<24)
  func flippedBit(column: String, bit: Int) throws {
    let texts = [card("first", "one"), card("second", "two"), card("third", "three")]
    try stand.commit(.list(texts))
    try stand.act(.click, on: "second")
    #expect(try damaged == 0)
    try flip(bit, of: column, where: "name = CAST('second' AS BLOB)")
    #expect(try damaged == 1)
    #expect(try stand.titles() == ["one", "three"])
    try stand.restart()
    #expect(try stand.titles() == ["one", "three"])
    try stand.commit(.list(texts))
    #expect(try stand.titles() == ["one", "two", "three"])
    #expect(try stand.view().items.map(\.isClicked) == [false, true, false])
    #expect(try damaged == 0)
    #expect(try stand.count("SELECT count(*) FROM item") == 3)
  }

  /// Flips one bit of a value, counted from its end.
  private func flip(_ bit: Int, of column: String, where condition: String) throws {
    if column == "seal" {
      return try stand.tamper(
        """
        UPDATE item SET seal = (seal | (1 << \(bit * 2))) - (seal & (1 << \(bit * 2)))
        WHERE \(condition)
        """)
    }
    let found = try stand.with { (_, database) throws(EngagementError) in
      try database.first("SELECT \(column) FROM item WHERE \(condition)") { $0.bytes(0) }
    }
    var bytes = try #require(found)
    let place = bytes.count - 1 - bit / 8 % bytes.count
    bytes[place] ^= 1 << (bit % 8)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    try stand.tamper("UPDATE item SET \(column) = x'\(hex)' WHERE \(condition)")
  }

  @Test("G9: a body copied into another item's row is never shown, within or across users")
  func foreignRows() throws {
    try stand.commit(.list([card("a", "one"), card("b", "two")]))
    stand.person = ItemCacheStand.people[1]
    try stand.commit(.list([card("a", "other")]))
    try stand.tamper(
      """
      UPDATE item SET body = (SELECT body FROM item WHERE id = (1 << 32) + 1)
      WHERE id = (2 << 32) + 1;
      UPDATE item SET (body, seal) = (SELECT body, seal FROM item WHERE id = (1 << 32) + 2)
      WHERE id = (1 << 32) + 1;
      """)
    #expect(try stand.titles() == [])
    stand.person = ItemCacheStand.people[0]
    #expect(try stand.titles() == ["two"])
  }

  @Test("an item whose row was deleted is hidden until the next list restores it")
  func lostRow() throws {
    let texts = [card("a", "one"), card("b", "two")]
    try stand.commit(.list(texts))
    try stand.tamper("DELETE FROM item WHERE id = (1 << 32) + 1")
    #expect(try stand.titles() == ["two"])
    try stand.commit(.list(texts))
    #expect(try stand.titles() == ["one", "two"])
    #expect(try stand.count("SELECT count(*) FROM membership") == 2)
  }

  @Test(
    "the next list repairs invalid rows of a feed",
    arguments: [
      "UPDATE membership SET place = 9223372036854775807 WHERE item = (1 << 32) + 1",
      "UPDATE membership SET place = -9223372036854775807 WHERE item = (1 << 32) + 2",
      "UPDATE membership SET item = 99 WHERE item = (1 << 32) + 1",
      """
      INSERT INTO membership SELECT feed, rank1, rank2, rank3, place + 7, expires, item
      FROM membership
      """,
      "UPDATE membership SET rank2 = 1e308, expires = 0",
    ])
  func feedRows(sql: String) throws {
    let texts = [card("a", "one"), card("b", "two")]
    try stand.commit(.list(texts))
    try stand.tamper(sql)
    try stand.commit(.list([card("c", "three")]))
    try stand.commit(.put([card("d", "four")]))
    #expect(try stand.titles() == ["three", "four"])
    try stand.commit(.list(texts))
    #expect(try stand.titles() == ["one", "two"])
    #expect(try stand.count("SELECT count(*) FROM membership") == 2)
  }

  @Test("a dismissed item stays hidden after damage to its row")
  func overlayOutlivesDamage() throws {
    let texts = [card("a", "one"), card("b", "two")]
    try stand.commit(.list(texts))
    try stand.act(.dismiss, on: "a")
    try stand.tamper("UPDATE item SET seal = seal + 1")
    try stand.commit(.put([card("c", "three")]))
    try stand.commit(.list(texts))
    #expect(try stand.titles() == ["two"])
  }

  @Test("a feed with an invalid name is left out and traps nothing")
  func feedName() throws {
    try stand.commit(.list([card("a", "one")]))
    for name in ["", "{", "[]", #"{"filters":[7]}"#, #"{"container":7}"#, "\u{0}"] {
      try stand.tamper("UPDATE feed SET name = '\(name.replacing("\u{0}", with: "?"))'")
      _ = try stand.with { (itemCache, database) throws(EngagementError) in
        try itemCache.feeds(of: stand.person, on: &database)
      }
      #expect(try stand.ids() == [])
    }
  }

  @Test("the item cache shows the same after a restart and after forgetting its memory")
  func restart() throws {
    let stand = try ItemCacheStand(PaperAdapter(cards: .byPriority, inbox: .newestFirst))
    let texts = (0..<50).map {
      #"{"id":"\#($0)","n":\#($0 * 7 % 5),"c":\#($0 * 3 % 11),"e":\#(4_000_000_000 + $0)}"#
    }
    try stand.commit(.list(texts), .list(texts, in: .inbox), .total(.cards, 77))
    for id in 0..<10 { try stand.act(id % 2 == 0 ? .click : .dismiss, on: "\(id)") }
    try stand.act(.snooze(seconds: 9), on: "11")
    try stand.act(.read, on: "3", .inbox)
    let before = (try stand.view(), try stand.inbox())
    #expect(before.0.items.count == 44 && before.1.items.count == 50)
    stand.forget()
    #expect(try (stand.view(), stand.inbox()) == before)
    try stand.restart()
    #expect(try (stand.view(), stand.inbox()) == before)
  }

  @Test("a failed transaction leaves no change in the file or in memory")
  func rollback() throws {
    try stand.commit(.list([card("a", "one")]))
    let failed = failure { () throws(EngagementError) in
      try stand.change { (itemCache, database) throws(EngagementError) in
        var report = CommitReport()
        try itemCache.apply(
          .list([card("b", "two")]), from: "paper", in: stand.person, at: stand.now, to: &report,
          on: &database)
        _ = try itemCache.record(
          .init(.dismiss, on: ItemReference(ItemID("paper", "a"), on: .cards)), in: stand.person,
          at: stand.now, on: &database)
        throw EngagementError(.storage, "the disk is full")
      }
    }
    #expect(failed?.code == .storage)
    #expect(try stand.titles() == ["one"])
    try stand.commit(.put([card("b", "two")]))
    #expect(try stand.titles() == ["one", "two"])
  }

  @Test("the item cache sees another process's writes after forgetting its memory")
  func otherProcess() throws {
    try stand.commit(.list([card("a", "one")]))
    #expect(try stand.titles() == ["one"])
    var other = try stand.scratch.open(.readWrite)
    var itemCache = ItemCache(adapters: stand.adapters)
    var report = CommitReport()
    let (person, now) = (stand.person, stand.now)
    try other.transaction { (database) throws(EngagementError) in
      try itemCache.apply(
        .list([card("b", "two")]), from: "paper", in: person, at: now, to: &report, on: &database)
    }
    stand.forget()
    #expect(try stand.titles() == ["two"])
  }
}

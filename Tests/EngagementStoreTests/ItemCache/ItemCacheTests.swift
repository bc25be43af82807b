import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct ItemCacheTests {
  private func card(_ id: String, _ rest: String = "") -> String {
    #"{"id":"\#(id)"\#(rest.isEmpty ? "" : ",\(rest)")}"#
  }

  // MARK: Lists

  @Test("a complete list replaces the items of its feed")
  func replaces() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a"), card("b"), card("c")]))
    try stand.commit(.list([card("d"), card("c"), card("a", #""x":"new""#)]))
    #expect(try stand.ids() == ["d", "c", "a"])
    #expect(try stand.titles() == ["", "", "new"])
    #expect(try stand.count("SELECT count(*) FROM item") == 3)
  }

  @Test("an empty list empties the feed and keeps its refresh time")
  func empties() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a")]))
    try stand.commit(.list([]))
    #expect(try stand.view() == FeedView(refreshedAt: stand.now))
    #expect(try stand.count("SELECT count(*) FROM item") == 0)
    #expect(try stand.count("SELECT count(*) FROM membership") == 0)
  }

  @Test("a put item replaces the one with its id or is appended")
  func puts() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a"), card("b")]))
    try stand.commit(.put([card("c"), card("a", #""x":"new""#)]))
    #expect(try stand.ids() == ["a", "b", "c"])
    #expect(try stand.titles() == ["new", "", ""])
  }

  @Test("B4: a patch overwrites members of a known card and adds an unknown card whole")
  func patches() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a", #""x":"old","n":3"#), card("b")]))
    try stand.commit(.patch([("a", #"{"x":"new"}"#), ("c", card("c"))]))
    #expect(try stand.ids() == ["a", "b", "c"])
    #expect(try stand.view().items[0].priority == 3)
    #expect(try stand.titles() == ["new", "", ""])
  }

  @Test("B4: a patch older than the card is ignored whole")
  func ignoresOlder() throws {
    let stand = try ItemCacheStand()
    let rules = PatchRules(age: "c")
    try stand.commit(.list([card("a", #""c":10,"x":"now""#)]))
    try stand.commit(.patch([("a", card("a", #""c":9,"x":"before","n":1"#))], rules))
    #expect(try stand.titles() == ["now"])
    #expect(try stand.view().items[0].priority == nil)
    try stand.commit(.patch([("a", card("a", #""c":10,"x":"again""#))], rules))
    #expect(try stand.titles() == ["again"])
  }

  @Test("B4: neither a patch nor a complete list clears `onlyEverSet` members")
  func onlyEverSet() throws {
    let stand = try ItemCacheStand()
    let names = ["v", "l"]
    try stand.commit(.list([card("a", #""v":true,"l":1"#), card("b", #""v":false"#)]))
    try stand.commit(
      .patch([("a", card("a", #""v":false"#))], PatchRules(onlyEverSet: names)),
      .list([card("a", #""l":0,"x":"new""#), card("b")], Retention(onlyEverSet: names)))
    let cards = try stand.view().items
    #expect(cards.map(\.isViewed) == [true, false])
    #expect(cards.map(\.isClicked) == [true, false])
    #expect(cards.map(\.title) == ["new", nil])
  }

  @Test("an item that needs no merge keeps the vendor's bytes")
  func ownBytes() throws {
    let stand = try ItemCacheStand()
    let text = #"{ "id" : "a", "v" : true, "x" : "\u00e9" }"#
    let retention = Retention(onlyEverSet: ["v"])
    try stand.commit(.list([card("a", #""v":true"#)], retention))
    try stand.commit(.list([text], retention))
    #expect(
      try stand.count("SELECT count(*) FROM item WHERE body = CAST('\(text)' AS BLOB)") == 1)
  }

  @Test("test cards missing from a complete list stay, ahead of the listed cards")
  func testCards() throws {
    let stand = try ItemCacheStand()
    let (test, other) = (card("t", #""t":true"#), card("s", #""t":true"#))
    try stand.commit(.list([card("a"), test, card("b"), other]))
    try stand.commit(.list([card("c"), other], Retention(testItems: true)))
    #expect(try stand.ids() == ["t", "c", "s"])
    try stand.commit(.list([card("c"), other], Retention(testItems: true)))
    #expect(try stand.ids() == ["t", "c", "s"])
    try stand.restart()
    try stand.commit(.list([], Retention(testItems: true)))
    #expect(try stand.ids() == ["t", "s"])
    try stand.commit(.list([]))
    #expect(try stand.ids() == [])
  }

  @Test("an item whose id is named stays although a complete list lacks it")
  func namedItems() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a"), card("b"), card("c")]))
    try stand.commit(.list([card("d")], Retention(ids: ["b", "x"])))
    #expect(try stand.ids() == ["b", "d"])
    try stand.restart()
    try stand.commit(.list([card("d")], Retention(ids: ["x"])))
    #expect(try stand.ids() == ["d"])
  }

  @Test("a repeated id gives one item, at its first place with its last content")
  func duplicates() throws {
    let stand = try ItemCacheStand()
    for _ in 0..<2 {
      try stand.commit(.list([card("a", #""x":"1""#), card("b"), card("a", #""x":"2""#)]))
      #expect(try stand.ids() == ["a", "b"])
      #expect(try stand.titles() == ["2", ""])
    }
  }

  @Test("removing ids removes those items and ignores unknown ids")
  func removes() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a"), card("b"), card("c")]))
    try stand.commit(.removed(.cards, ids: ["b", "x", ""]))
    #expect(try stand.ids() == ["a", "c"])
    try stand.commit(.removed(.cards, ids: ["a", "c"]), .put([card("a")]))
    #expect(try stand.ids() == ["a"])
  }

  @Test("ids that differ only in Unicode normalization are two items")
  func normalForms() throws {
    let stand = try ItemCacheStand()
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    try stand.commit(.list([card(composed, #""x":"1""#), card(decomposed, #""x":"2""#)]))
    try stand.restart()
    try stand.commit(.removed(.cards, ids: [composed]))
    #expect(try stand.titles() == ["2"])
    #expect(try stand.view().items[0].id.value.utf8.count == decomposed.utf8.count)
  }

  @Test(
    "any id from a vendor is kept byte for byte",
    arguments: ["", " ", "'", "\"", "a/b", "\u{202e}a", "👩‍👩‍👧‍👦", String(repeating: "é", count: 5_000)])
  func ids(id: String) throws {
    let stand = try ItemCacheStand()
    let text = String(
      decoding: {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id)
        writer.endObject()
        return writer.bytes
      }(), as: UTF8.self)
    try stand.commit(.list([text]))
    try stand.restart()
    #expect(try stand.ids().map { Array($0.utf8) } == [Array(id.utf8)])
    try stand.act(.dismiss, on: id)
    #expect(try stand.ids() == [])
  }

  // MARK: Feeds

  @Test("an item in two containers is stored once and stays in one when the other drops it")
  func twoContainers() throws {
    let stand = try ItemCacheStand()
    let (home, shop) = (Feed(.cards, in: "home"), Feed(.cards, in: "shop"))
    try stand.commit(.list([card("a"), card("b")], in: home), .list([card("a")], in: shop))
    #expect(try stand.count("SELECT count(*) FROM item") == 2)
    #expect(try stand.view(home).items.map(\.container) == ["home", "home"])
    #expect(try stand.view(shop).items.map(\.container) == ["shop"])
    try stand.commit(.removed(home, ids: ["a"]))
    #expect(try stand.ids(home) == ["b"])
    #expect(try stand.ids(shop) == ["a"])
    try stand.commit(.list([], in: shop))
    #expect(try stand.count("SELECT count(*) FROM item") == 1)
  }

  @Test("an update in one container also changes and reorders the item in the other")
  func changesEverywhere() throws {
    let stand = try ItemCacheStand(PaperAdapter(cards: .byPriority))
    let (home, shop) = (Feed(.cards, in: "home"), Feed(.cards, in: "shop"))
    try stand.commit(
      .list([card("a", #""n":1"#), card("b", #""n":2"#)], in: home),
      .list([card("a", #""n":1"#), card("b", #""n":2"#)], in: shop))
    let report = try stand.commit(.put([card("a", #""n":3,"x":"new""#)], in: shop))
    #expect(report.feeds == [FeedKey("paper", home), FeedKey("paper", shop)])
    for feed in [home, shop] {
      #expect(try stand.ids(feed) == ["b", "a"])
      #expect(try stand.titles(feed) == ["", "new"])
    }
  }

  @Test("an item moves between containers in one commit and keeps its overlay")
  func moves() throws {
    let stand = try ItemCacheStand()
    let (home, shop) = (Feed(.cards, in: "home"), Feed(.cards, in: "shop"))
    try stand.commit(.list([card("a"), card("b")], in: home))
    try stand.act(.dismiss, on: "a")
    try stand.commit(.list([card("b")], in: home), .list([card("a")], in: shop))
    #expect(try stand.ids(shop) == [])
    #expect(try stand.count("SELECT count(*) FROM overlay") == 1)
  }

  @Test("feeds that differ in container, filter or surface are distinct")
  func feeds() throws {
    let stand = try ItemCacheStand()
    let feeds = [
      Feed(.cards), Feed(.cards, in: ""), Feed(.cards, in: "caf\u{e9}"),
      Feed(.cards, in: "cafe\u{301}"),
      Feed(.cards, in: "home", matching: [.priority(.between(2, 6))]),
      Feed(.cards, in: "home", matching: [.priority(.between(3, 6))]),
      Feed(.inbox), Feed(.campaigns),
    ]
    for (index, feed) in feeds.enumerated() { try stand.commit(.total(feed, index)) }
    try stand.restart()
    let found = try stand.with { (itemCache, database) throws(EngagementError) in
      try itemCache.feeds(of: stand.person, on: &database)
    }
    #expect(found.count == feeds.count)
    #expect(Set(found) == Set(feeds.map { FeedKey("paper", $0) }))
    for (index, feed) in feeds.prefix(6).enumerated() {
      #expect(try stand.view(feed).total == index)
    }
  }

  @Test("an unchanged answer keeps the items and updates the refresh time")
  func unchanged() throws {
    let stand = try ItemCacheStand()
    try stand.commit(.list([card("a")]))
    stand.now += 60.0004
    let report = try stand.commit(.unchanged(.cards))
    #expect(report.feeds == [FeedKey("paper", .cards)])
    let view = try stand.view()
    #expect(view.items.map(\.id.value) == ["a"])
    #expect(view.refreshedAt == ItemCacheStand.start + 60)
    try stand.restart()
    #expect(try stand.view() == view)
  }

  @Test("a feed without any commit is empty and has no refresh time")
  func never() throws {
    let stand = try ItemCacheStand()
    #expect(try stand.view() == FeedView())
    #expect(try stand.view(of: "nobody") == FeedView())
    #expect(try stand.inbox() == FeedView())
    #expect(try stand.campaigns() == FeedView())
  }

  @Test("changes that concern no list leave the item cache untouched")
  func others() throws {
    let stand = try ItemCacheStand()
    let report = try stand.commit(
      .person(nil), .keep(.user, "a", "b"), .wanted(.settings), .settled(["e"]))
    #expect(report == CommitReport())
    #expect(try stand.count("SELECT count(*) FROM source") == 0)
  }

  @Test("a commit from an unconfigured provider is refused and stores nothing")
  func unknownProvider() throws {
    let stand = try ItemCacheStand()
    let failure = failure { () throws(EngagementError) in
      try stand.commit(.list([card("a")]), from: "other")
    }
    #expect(failure?.code == .notFound)
    #expect(try stand.count("SELECT count(*) FROM source") == 0)
  }

  // MARK: Owners of rows

  @Test("G13: items with the same id stay separate per user and provider")
  func partitions() throws {
    let stand = try ItemCacheStand(["paper": PaperAdapter(), "twin": PaperAdapter("twin")])
    for person in ItemCacheStand.people {
      stand.person = person
      for provider in ["paper", "twin"] as [ProviderID] {
        let title = "\(person.id) \(provider)"
        try stand.commit(.list([card("a", #""x":"\#(title)""#)]), from: provider)
      }
    }
    stand.person = ItemCacheStand.people[0]
    try stand.act(.dismiss, on: "a")
    try stand.restart()
    for person in ItemCacheStand.people {
      stand.person = person
      #expect(try stand.view(of: "twin").items.map(\.title) == ["\(person.id) twin"])
      #expect(try stand.titles() == (person.id == 1 ? [] : ["\(person.id) paper"]))
    }
  }

  @Test("an item's id names the configured provider, whatever its adapter says")
  func providerOfIDs() throws {
    let stand = try ItemCacheStand(["second": PaperAdapter("first")])
    try stand.commit(
      .list([card("a")]), .list([card("m")], in: .inbox), .list([card("c")], in: .campaigns),
      from: "second")
    #expect(try stand.view(of: "second").items.map(\.id.provider) == ["second"])
    #expect(try stand.inbox(of: "second").items.map(\.id.provider) == ["second"])
  }

  @Test("G14: erasing a user removes all of that user's rows and keeps those of other users")
  func erases() throws {
    let stand = try ItemCacheStand()
    for person in ItemCacheStand.people.prefix(2) {
      stand.person = person
      try stand.commit(.list([card("a"), "{}"]), .list([card("m")], in: .inbox))
      try stand.act(.click, on: "a")
    }
    stand.person = ItemCacheStand.people[0]
    try stand.change { (itemCache, database) throws(EngagementError) in
      try itemCache.erase(stand.person.id, on: &database)
    }
    #expect(try stand.ids() == [])
    #expect(try stand.inbox() == FeedView())
    for table in ["source", "feed", "item", "membership", "overlay", "quarantine"] {
      let expected = ["source": 2, "feed": 2, "item": 2, "membership": 2][table] ?? 1
      #expect(try stand.count("SELECT count(*) FROM \(table)") == expected, "\(table)")
    }
    stand.person = ItemCacheStand.people[1]
    #expect(try stand.view().items.map(\.isClicked) == [true])
  }

  // MARK: Campaigns

  @Test("campaigns keep the sent order, and ended ones are left out")
  func campaigns() throws {
    let stand = try ItemCacheStand()
    let end = ItemCacheStand.start.timeIntervalSince1970 + 60
    try stand.commit(
      .list([card("b", #""e":\#(end)"#), card("a"), card("c", #""e":1"#)], in: .campaigns))
    let view = try stand.campaigns()
    #expect(view.items.map(\.id.value) == ["b", "a"])
    #expect(view.validUntil == ItemCacheStand.start + 60)
    stand.now += 60
    #expect(try stand.campaigns().items.map(\.id.value) == ["a"])
  }

  // MARK: References

  @Test("an item reference carries the handle and the container that lists the item")
  func references() throws {
    let stand = try ItemCacheStand()
    let home = Feed(.cards, in: "home")
    try stand.commit(.list([card("a")], in: home), .list([card("m")], in: .inbox))
    for isFresh in [false, true] {
      if isFresh { try stand.restart() }
      let found = try stand.with { (itemCache, database) throws(EngagementError) in
        [
          try itemCache.reference(
            to: ItemID("paper", "a"), on: .cards, in: stand.person, on: &database),
          try itemCache.reference(
            to: ItemID("paper", "m"), on: .inbox, in: stand.person, on: &database),
          try itemCache.reference(
            to: ItemID("paper", "a"), on: .inbox, in: stand.person, on: &database),
          try itemCache.reference(
            to: ItemID("other", "a"), on: .cards, in: stand.person, on: &database),
        ]
      }
      #expect(
        found == [
          ItemReference(
            ItemID("paper", "a"), on: .cards, in: "home", handle: ["of": "a"]),
          ItemReference(ItemID("paper", "m"), on: .inbox), nil, nil,
        ])
    }
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("What is shown", .timeLimit(.minutes(20)))
struct ShowcaseTests {
  @Test("X3 one feed of two providers has one order, one count and a freshness of each")
  func merged() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1") { $0.priority = 6 }, .a("2") { $0.viewed = true }], .a)
    await stage.commit([.b("1") { $0.pinned = true }], .b, total: 40)
    let feed = stage.showcase.cards(in: "home")
    #expect(feed.cards.map(\.id.description) == ["b/1", "a/2", "a/1"])
    #expect(feed.unreadCount == 2)
    #expect(feed.total == 42)
    #expect(feed.freshness == ["a": stage.clock.now, "b": stage.clock.now])
  }

  @Test("X3 a provider that never answered is named with no time, the other's cards are there")
  func partial() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    let feed = stage.showcase.cards(in: "home")
    #expect(feed.cards.map(\.id.value) == ["1"])
    #expect(feed.freshness == ["a": stage.clock.now, "b": nil])
  }

  @Test("a route to one provider keeps the vendor's own order")
  func only() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("z"), .a("y") { $0.pinned = true }, .a("x")], .a)
    await stage.commit([.b("1")], .b)
    #expect(stage.ids() == ["a/z", "a/y", "a/x"])
  }

  @Test("A21 control cards are not shown and never counted, and come when asked for")
  func control() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1"), .a("c") { $0.kind = .control }], .a)
    #expect(stage.ids() == ["a/1"])
    #expect(
      stage.showcase.cards(in: "home").count == CardCount(visible: 1, unread: 1, total: 1))
    var all = stage.updates(CardOptions(includesControl: true)).makeAsyncIterator()
    let feed = try #require(await all.next())
    #expect(feed.cards.map(\.id.value) == ["1", "c"])
    #expect(feed.count == CardCount(visible: 1, unread: 1, total: 1))
    #expect(stage.showcase.card(ItemID("a", "c")) != nil)
  }

  @Test("cards of a vendor without containers are in every container, or where their extra says")
  func containers() async throws {
    let stage = FeedStage(
      Routes(cards: .only("flat"), inbox: .none),
      ["offers": ["flat": .extra("slot", is: "offers")]])
    let cards = [
      Card.test(ItemID("flat", "1")),
      Card.test(ItemID("flat", "2")) { $0.extras["slot"] = "offers" },
    ]
    await stage.commit(cards, .flat, total: 90)
    #expect(stage.ids(in: "home") == ["flat/1", "flat/2"])
    #expect(stage.ids(in: "news") == ["flat/1", "flat/2"])
    #expect(stage.ids(in: "offers") == ["flat/2"])
    #expect(stage.showcase.cards(in: "home").total == 90)
    #expect(stage.showcase.cards(in: "offers").total == 1)
  }

  @Test("the inbox is one list of all providers with the unread counted")
  func inbox() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit(
      [.test(ItemID("a", "1")) { $0.createdAt = now }], "a")
    await stage.commit(
      [
        .test(ItemID("b", "1")) {
          $0.createdAt = now.addingTimeInterval(1)
          $0.read = true
        }
      ], "b")
    let inbox = stage.showcase.inbox()
    #expect(inbox.messages.map(\.id.description) == ["b/1", "a/1"])
    #expect(inbox.unreadCount == 1)
    #expect(stage.showcase.message(ItemID("b", "1"))?.read == true)
    #expect(stage.showcase.message(ItemID("b", "2")) == nil)
  }

  // MARK: Users

  @Test("G13 nothing of the former user is seen from the moment on that another is present")
  func moving() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    #expect(stage.ids() == ["a/1"])
    _ = stage.occupancy.move(into: FeedStage.second)
    #expect(stage.ids() == [])
    #expect(stage.showcase.card(ItemID("a", "1")) == nil)
    #expect(stage.showcase.cards(in: "home").freshness == ["a": nil, "b": nil])
    #expect(stage.showcase.inbox() == InboxFeed(freshness: ["a": nil, "b": nil]))
  }

  @Test("G13 entering empties at once and then shows what the cache has of the new user")
  func entering() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = FeedStage { if isHeld.withLock({ $0 }) { await gate.pass() } }
    stage.reader.set(FeedView(items: [.a("2")]), .a, of: FeedStage.second)
    await stage.commit([.a("1")], .a)
    isHeld.withLock { $0 = true }
    let occupant = stage.occupancy.move(into: FeedStage.second)
    async let entering: Void = stage.showcase.enter(occupant)
    await gate.isHolding(1)
    #expect(stage.ids() == [])
    gate.open()
    try await entering
    #expect(stage.ids() == ["a/2"])
  }

  @Test("G13 what was read for a user who has left meanwhile is not shown")
  func lateAnswer() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = FeedStage { if isHeld.withLock({ $0 }) { await gate.pass() } }
    try await stage.change(to: FeedStage.first)
    isHeld.withLock { $0 = true }
    async let committing: Void = stage.commit([.a("1")], .a)
    await gate.isHolding(1)
    isHeld.withLock { $0 = false }
    try await stage.change(to: FeedStage.second)
    gate.open()
    await committing
    #expect(stage.ids() == [])
  }

  @Test("G13 a commit in another's partition shows nothing")
  func foreignCommit() async throws {
    let stage = FeedStage()
    await stage.commit([.a("2")], .a, of: FeedStage.second)
    #expect(stage.ids() == [])
    #expect(stage.reader.questions == 0)
  }

  @Test("an occupant who has left meanwhile is not entered")
  func overtaken() async throws {
    let stage = FeedStage()
    stage.reader.set(FeedView(items: [.a("1")]), .a, of: FeedStage.first)
    stage.reader.set(FeedView(items: [.a("2")]), .a, of: FeedStage.second)
    let early = stage.occupancy.move(into: FeedStage.first)
    try await stage.change(to: FeedStage.second)
    try await stage.showcase.enter(early)
    #expect(stage.ids() == ["a/2"])
  }

  @Test("an answer to an earlier question does not take the place of a later one's")
  func lateQuestion() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = FeedStage {
      if isHeld.withLock({ $0 }) { await gate.pass() }
    }
    stage.reader.set(FeedView(items: [.a("old")]), .a, of: FeedStage.first)
    isHeld.withLock { $0 = true }
    async let early: Void = stage.commit([.a("old")], .a)
    await gate.isHolding(1)
    // Looked up after the gate opens, so the late answer would be the newer one here: what counts
    // is that the later question's answer stays when nothing else has changed.
    isHeld.withLock { $0 = false }
    await stage.commit([.a("new")], .a)
    stage.reader.set(FeedView(items: [.a("unsaid")]), .a, of: FeedStage.first)
    gate.open()
    await early
    #expect(stage.ids() == ["a/new"])
  }

  // MARK: Routes

  @Test("X2 no card of the old provider is left after a change of route")
  func routeChange() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("1")], .a)
    await stage.commit([.b("1")], .b)
    #expect(stage.ids() == ["a/1"])
    stage.showcase.show(.cards, by: .only("b"))
    #expect(stage.ids() == ["b/1"])
    stage.showcase.show(.cards, by: .none)
    #expect(stage.ids() == [])
  }

  @Test("X2 a route that was set at run time goes before the application's after a restart")
  func restored() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    stage.reader.set(.only("b"), of: .cards)
    stage.reader.set(FeedView(items: [.b("1")]), .b, of: FeedStage.first)
    try await stage.change(to: FeedStage.first)
    #expect(stage.ids() == ["b/1"])
    #expect(stage.showcase.routes == Routes(cards: .only("b"), inbox: .none))
  }

  @Test("X2 a route that is set before the kept ones are read stays")
  func restoredLate() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    stage.reader.set(.only("b"), of: .cards)
    stage.showcase.show(.cards, by: .none)
    try await stage.change(to: FeedStage.first)
    #expect(stage.showcase.routes.cards == .none)
  }

  // MARK: Filters

  @Test("A8 an observation sees the cards that meet its conditions")
  func filters() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1") { $0.priority = 1 }, .a("2") { $0.priority = 7 }, .a("3")], .a)
    let options = CardOptions(filters: [.priority(.greaterThan(3))])
    var updates = stage.updates(options).makeAsyncIterator()
    #expect(await updates.next()?.cards.map(\.id.value) == ["2"])
  }

  @Test("A8 where the vendor was asked with the conditions, its answer counts")
  func vendorsAnswer() async throws {
    let stage = FeedStage()
    let options = CardOptions(filters: [.priority(.greaterThan(3))])
    let answer = FeedKey("a", Feed(.cards, in: "home", matching: options.filters))
    await stage.commit([.a("1") { $0.priority = 7 }], .a)
    await stage.commit([.a("known to the vendor")], answer)
    await stage.commit([.b("1"), .b("2") { $0.priority = 7 }], .b)
    var updates = stage.updates(options).makeAsyncIterator()
    let seen = await updates.next()?.cards.map(\.id.value)
    #expect(seen == ["known to the vendor", "2"])
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("feed publisher", .timeLimit(.minutes(20)))
struct FeedPublisherTests {
  @Test("X3: a feed of two providers has one order, one count and a freshness for each provider")
  func merged() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1") { $0.priority = 6 }, .a("2") { $0.isViewed = true }], .a)
    await stage.commit([.b("1") { $0.isPinned = true }], .b, total: 40)
    let feed = stage.feedPublisher.cards(in: "home")
    #expect(feed.cards.map(\.id.description) == ["b/1", "a/2", "a/1"])
    #expect(feed.unreadCount == 2)
    #expect(feed.total == 42)
    #expect(feed.freshness == ["a": stage.clock.now, "b": stage.clock.now])
  }

  @Test(
    "X3: freshness is nil for a provider that has yet to answer, and the other's cards are shown")
  func partial() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    let feed = stage.feedPublisher.cards(in: "home")
    #expect(feed.cards.map(\.id.value) == ["1"])
    #expect(feed.freshness == ["a": stage.clock.now, "b": nil])
  }

  @Test("a route to one provider keeps the vendor's own order")
  func only() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("z"), .a("y") { $0.isPinned = true }, .a("x")], .a)
    await stage.commit([.b("1")], .b)
    #expect(stage.ids() == ["a/z", "a/y", "a/x"])
  }

  @Test("A21: control cards are never counted and are shown only on request")
  func control() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1"), .a("c") { $0.kind = .control }], .a)
    #expect(stage.ids() == ["a/1"])
    #expect(
      stage.feedPublisher.cards(in: "home").count == CardCount(visible: 1, unread: 1, total: 1))
    var all = stage.updates(CardOptions(includesControl: true)).makeAsyncIterator()
    let feed = try #require(await all.next())
    #expect(feed.cards.map(\.id.value) == ["1", "c"])
    #expect(feed.count == CardCount(visible: 1, unread: 1, total: 1))
    #expect(stage.feedPublisher.card(ItemID("a", "c")) != nil)
  }

  @Test(
    "cards of a vendor without containers appear in every container, or where their extra matches")
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
    #expect(stage.feedPublisher.cards(in: "home").total == 90)
    #expect(stage.feedPublisher.cards(in: "offers").total == 1)
  }

  @Test("the inbox merges the messages of all providers and counts the unread ones")
  func inbox() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit(
      [.test(ItemID("a", "1")) { $0.createdAt = now }], "a")
    await stage.commit(
      [
        .test(ItemID("b", "1")) {
          $0.createdAt = now.addingTimeInterval(1)
          $0.isRead = true
        }
      ], "b")
    let inbox = stage.feedPublisher.inbox()
    #expect(inbox.messages.map(\.id.description) == ["b/1", "a/1"])
    #expect(inbox.unreadCount == 1)
    #expect(stage.feedPublisher.message(ItemID("b", "1"))?.isRead == true)
    #expect(stage.feedPublisher.message(ItemID("b", "2")) == nil)
  }

  // MARK: Users

  @Test("G13: the former user's items disappear as soon as another user is present")
  func moving() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    #expect(stage.ids() == ["a/1"])
    _ = stage.currentUser.move(into: FeedStage.second)
    #expect(stage.ids() == [])
    #expect(stage.feedPublisher.card(ItemID("a", "1")) == nil)
    #expect(stage.feedPublisher.cards(in: "home").freshness == ["a": nil, "b": nil])
    #expect(stage.feedPublisher.inbox() == InboxFeed(freshness: ["a": nil, "b": nil]))
  }

  @Test("G13: a new user session empties the feed at once, then shows the new user's cached cards")
  func entering() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = FeedStage { if isHeld.withLock({ $0 }) { await gate.pass() } }
    stage.reader.set(FeedView(items: [.a("2")]), .a, of: FeedStage.second)
    await stage.commit([.a("1")], .a)
    isHeld.withLock { $0 = true }
    let userSession = stage.currentUser.move(into: FeedStage.second)
    async let entering: Void = stage.feedPublisher.enter(userSession)
    await gate.isHolding(1)
    #expect(stage.ids() == [])
    gate.open()
    try await entering
    #expect(stage.ids() == ["a/2"])
  }

  @Test("G13: a cache read for a user who has left is not shown")
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

  @Test("G13: a commit to another user's partition does not change the feed")
  func foreignCommit() async throws {
    let stage = FeedStage()
    await stage.commit([.a("2")], .a, of: FeedStage.second)
    #expect(stage.ids() == [])
    #expect(stage.reader.questions == 0)
  }

  @Test("a user session that has already ended does not change the feed")
  func overtaken() async throws {
    let stage = FeedStage()
    stage.reader.set(FeedView(items: [.a("1")]), .a, of: FeedStage.first)
    stage.reader.set(FeedView(items: [.a("2")]), .a, of: FeedStage.second)
    let early = stage.currentUser.move(into: FeedStage.first)
    try await stage.change(to: FeedStage.second)
    try await stage.feedPublisher.enter(early)
    #expect(stage.ids() == ["a/2"])
  }

  @Test("a late result of an earlier cache read does not replace a later one")
  func lateQuestion() async throws {
    let gate = Gate()
    // A read pauses before its look-up and after it. The early one is held after.
    let pausesToHold = Locked(0)
    let stage = FeedStage {
      let left = pausesToHold.withLock { left in
        left -= 1
        return left
      }
      if left == 0 { await gate.pass() }
    }
    stage.reader.set(FeedView(items: [.a("old")]), .a, of: FeedStage.first)
    pausesToHold.withLock { $0 = 2 }
    async let early: Void = stage.commit([.a("old")], .a)
    await gate.isHolding(1)
    await stage.commit([.a("new")], .a)
    #expect(stage.ids() == ["a/new"])
    gate.open()
    await early
    #expect(stage.ids() == ["a/new"])
  }

  // MARK: Routes

  @Test("X2: a route change removes the former provider's cards")
  func routeChange() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("1")], .a)
    await stage.commit([.b("1")], .b)
    #expect(stage.ids() == ["a/1"])
    stage.show(.only("b"))
    #expect(stage.ids() == ["b/1"])
    stage.show(.none)
    #expect(stage.ids() == [])
  }

  @Test("X2: a route set at run time overrides the configured route after a restart")
  func restored() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    stage.reader.set(.only("b"), at: .surface(.cards))
    stage.reader.set(FeedView(items: [.b("1")]), .b, of: FeedStage.first)
    try await stage.change(to: FeedStage.first)
    #expect(stage.ids() == ["b/1"])
    #expect(stage.feedPublisher.plans.routes == Routes(cards: .only("b"), inbox: .none))
  }

  @Test("X2: a route set before the stored routes are read is kept")
  func restoredLate() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    stage.reader.set(.only("b"), at: .surface(.cards))
    stage.show(.none)
    try await stage.change(to: FeedStage.first)
    #expect(stage.feedPublisher.plans.routes.cards == .none)
  }

  // MARK: Filters

  @Test("A8: a stream yields only the cards that match its filters")
  func filters() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1") { $0.priority = 1 }, .a("2") { $0.priority = 7 }, .a("3")], .a)
    let options = CardOptions(filters: [.priority(.greaterThan(3))])
    var updates = stage.updates(options).makeAsyncIterator()
    #expect(await updates.next()?.cards.map(\.id.value) == ["2"])
  }

  @Test("A8: the vendor's answer to a filtered request replaces local filtering")
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

import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Bridged routes beside content keys, fail-over, containers, consent and other ways to act.
@Suite("bridged routes and the rest", .timeLimit(.minutes(20))) struct BridgeSeamsTests {
  private let bridge = BridgeStage()

  @Test(
    "X5 X4: one content of a card and a message is shown once, and each vendor told in its words")
  func contentKeys() async throws {
    bridge.set(#"["1.k","2.l"]"#, at: "c")
    bridge.set(#"["9.k","8"]"#, at: "m")
    let stage = try await bridge.stage(
      Routes(cards: .merge(["c", "m"]), inbox: .merge(["m", "c"])), keys: BridgeStage.keys)
    let engagement = stage.engagement
    _ = await engagement.refresh(.inbox)
    #expect(Set(stage.messageIDs()) == ["m/9.k", "m/8", "c/2.l"])
    #expect(Set(stage.cardIDs()) == ["c/1.k", "c/2.l", "m/8"])
    #expect(engagement.inbox.unreadCount == 3 && engagement.cardCount(in: "home").unread == 3)
    try await engagement.perform(
      .read, on: ItemID("m", "9.k"), surface: .inbox, propagate: true)
    #expect(try await stage.acts(at: "m") == ["read inbox 9.k"])
    #expect(try await stage.acts(at: "c") == ["impression cards 1.k"])
    #expect(try await stage.deeds() == ["read inbox"])
    #expect(engagement.inbox.unreadCount == 2 && engagement.cardCount(in: "home").unread == 2)
    // The copy was seen by its key, so its vendor hears of no impression.
    try await engagement.perform(.read, on: ItemID("c", "1.k"), surface: .inbox)
    #expect(try await stage.acts(at: "c") == ["impression cards 1.k"])
    #expect(try await stage.deeds() == ["read inbox", "read cards as impression"])
    let card = try #require(engagement.card(ItemID("c", "1.k")))
    try await engagement.perform(.dismiss, on: card, propagate: true)
    #expect(try await stage.acts(at: "m") == ["read inbox 9.k", "delete inbox 9.k"])
    #expect(Set(stage.messageIDs()) == ["m/8", "c/2.l"])
    #expect(Set(stage.cardIDs()) == ["c/2.l", "m/8"])
    try await stage.end()
  }

  @Test("X5 X9: a fail-over goes to a provider of the other kind and back")
  func failOver() async throws {
    bridge.set(#"["1"]"#, at: "c")
    bridge.set(#"["2"]"#, at: "m")
    let route = Route.firstReady(
      ["m", "c"], try FailOver(failures: 1, within: .seconds(60), coolDown: .seconds(30)))
    let stage = try await bridge.stage(Routes(cards: .none, inbox: route))
    _ = await stage.engagement.refresh(.inbox)
    #expect(stage.messageIDs() == ["m/2"])
    bridge.setDown(["m"])
    _ = await stage.engagement.refresh(.inbox)
    #expect(stage.messageIDs() == ["c/1"])
    bridge.setDown(["c"])
    stage.clock.advance(by: .seconds(31))
    _ = await stage.engagement.refresh(.inbox)
    #expect(stage.messageIDs() == ["m/2"])
    try await stage.end()
  }

  @Test("X5: a container falls over to messages, which are asked for as such")
  func failOverOfCards() async throws {
    bridge.set(#"["1"]"#, at: "c")
    bridge.set(#"["2"]"#, at: "m")
    let route = Route.firstReady(
      ["c", "m"], try FailOver(failures: 1, within: .seconds(60), coolDown: .seconds(30)))
    let stage = try await bridge.stage(Routes(cards: route, inbox: .only("m")))
    bridge.setDown(["c"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(stage.cardIDs() == ["m/2"] && stage.messageIDs() == ["m/2"])
    try await stage.end()
  }

  @Test("X5: all containers of a provider make one inbox, each card once")
  func containers() async throws {
    let vendors = [
      BridgeStage.vendor("c", BridgeStage.cards, hasContainers: true),
      BridgeStage.vendor("m", BridgeStage.inbox),
    ]
    bridge.set(#"["1","2"]"#, at: "c")
    let routes = Routes(cards: .none, inbox: .only("c"))
    var stage = try await bridge.stage(routes, vendors: vendors)
    let error = await stage.engagement.refresh(.inbox).providers["c"]?.error
    #expect(error?.code == .invalidConfiguration)
    #expect(
      error?.message
        == "The cards of \"c\" are in containers, and containers names none for the inbox.")
    try await stage.end()
    let containers: ContainerMap = [
      "home": ["c": .container("c-1")], "news": ["c": .container("c-2")],
      "mine": ["m": .extra("sku", is: "x")],
    ]
    stage = try await bridge.stage(routes, vendors: vendors, containers: containers)
    var asked: [Feed] = []
    #expect(await stage.engagement.refresh(.inbox).providers == ["c": .fresh])
    asked = try await stage.engagement.dependencies.store.feeds(
      of: stage.engagement.dependencies.currentUser.userSession.partition
    ).map(\.feed)
    #expect(Set(asked) == [Feed(.cards, in: "c-1"), Feed(.cards, in: "c-2")])
    #expect(stage.messageIDs() == ["c/1", "c/2"] && stage.engagement.inbox.unreadCount == 2)
    try await stage.engagement.perform(.delete, on: ItemID("c", "1"), surface: .inbox)
    #expect(stage.messageIDs() == ["c/2"])
    try await stage.end()
  }

  @Test("X5: without consent to analytics a card is read on this device alone")
  func consent() async throws {
    bridge.set(#"["1"]"#, at: "c")
    let stage = try await bridge.stage(
      Routes(cards: .none, inbox: .only("c")), consent: .essential)
    _ = await stage.engagement.refresh(.inbox)
    let message = try #require(stage.engagement.inbox.messages.first)
    let receipt = try await stage.engagement.perform(.read, on: message)
    #expect(try await receipt.outcome(within: .seconds(5)) == .kept)
    #expect(stage.engagement.inbox.unreadCount == 0)
    #expect(try await stage.acts(at: "c").isEmpty)
    #expect(try await stage.deeds() == ["read cards"])
    let error = await failure { try await stage.engagement.perform(.impression, on: message) }
    #expect(error?.code == .consentDenied)
    try await stage.engagement.perform(.open, on: message)
    #expect(try await stage.acts(at: "c") == ["click cards 1"])
    try await stage.end()
  }

  @Test("X5: an impression of a message among cards is not read without consent to analytics")
  func consentOfImpressions() async throws {
    bridge.set(#"["1"]"#, at: "m")
    let stage = try await bridge.stage(
      Routes(cards: .only("m"), inbox: .none), consent: .essential)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let card = try #require(stage.engagement.cards(in: "home").cards.first)
    let error = await failure { try await stage.engagement.perform(.impression, on: card) }
    #expect(error?.code == .consentDenied)
    #expect(
      try await stage.acts(at: "m").isEmpty && stage.engagement.cardCount(in: "home").unread == 1)
    try await stage.end()
  }

  @Test("X5 X13: an impression of a bridged item is one in each session, and its vendor hears once")
  func meter() async throws {
    bridge.set(#"["1"]"#, at: "m")
    let stage = try await bridge.stage(Routes(cards: .only("m"), inbox: .none))
    let engagement = stage.engagement
    _ = await engagement.refresh(.cards(in: "home"))
    engagement.setScenePhase(.active)
    try await engagement.sessions.load()
    for _ in 0..<2 {
      engagement.setScenePhase(.active)
      engagement.recordScreenEvent(.visible(ItemID("m", "1"), fraction: 1))
      stage.clock.advance(by: .seconds(2))
      engagement.recordScreenEvent(.hidden(ItemID("m", "1")))
      await engagement.sessions.flush()
      // A new session counts anew.
      engagement.setScenePhase(.background)
      stage.clock.advance(by: .seconds(4_000))
    }
    let impression = "impression inbox as read"
    #expect(try await stage.deeds() == [impression, impression])
    #expect(try await stage.acts(at: "m") == ["read inbox 1"])
    #expect(engagement.cardCount(in: "home").unread == 0)
    try await stage.end()
  }

  @Test("X5: an extension's action on a bridged item is its vendor's own")
  func journal() async throws {
    bridge.set(#"["1","2"]"#, at: "c")
    let stage = try await bridge.stage(Routes(cards: .none, inbox: .only("c")))
    _ = await stage.engagement.refresh(.inbox)
    let journal = try EngagementJournal(cache: bridge.place.cache)
    try journal.perform(.open, on: ItemID("c", "1"), surface: .inbox)
    try journal.perform(.expire(at: .distantFuture), on: ItemID("c", "2"), surface: .inbox)
    try await stage.engagement.resume()
    #expect(try await stage.acts(at: "c") == ["click cards 1"])
    #expect(try await stage.deeds() == ["open cards as click"])
    #expect(stage.engagement.message(ItemID("c", "1"))?.isRead == true)
    try await stage.end()
  }

  @Test("X5: a provider of neither kind is refused with those that can, native ones first")
  func refused() async throws {
    let vendors = BridgeStage.vendors + [BridgeStage.vendor("x", [.events: .request])]
    let stage = try await bridge.stage(Routes(cards: .none, inbox: .none), vendors: vendors)
    for (surface, able) in [(Surface.inbox, #""m" or "c""#), (.cards, #""c" or "m""#)] {
      let error = await failure { try await stage.engagement.setRoute(.only("x"), for: surface) }
      #expect(error?.code == .invalidConfiguration)
      #expect(
        error?.message
          == "routes.\(surface) names \"x\", which has no \(surface); use \(able) (bridged).")
    }
    #expect(try stage.engagement.isBridged("c", on: .inbox))
    #expect(try !stage.engagement.isBridged("c", on: .cards))
    #expect(try stage.engagement.isBridged("m", on: .cards))
    #expect(try !stage.engagement.isBridged("x", on: .cards))
    #expect(try !stage.engagement.isBridged("c", on: .push))
    let missing = await failure { try stage.engagement.isBridged("y", on: .cards) }
    #expect(missing != nil)
    try await stage.end()
  }

  @Test("X5: a kept bridged route holds after a restart, and its live polls ask for what there is")
  func kept() async throws {
    bridge.set(#"["1"]"#, at: "c")
    let routes = Routes(cards: .none, inbox: .none)
    var stage = try await bridge.stage(routes)
    try await stage.engagement.setRoute(.only("c"), for: .inbox)
    _ = await stage.engagement.refresh(.inbox)
    try await stage.end()
    stage = try await bridge.stage(routes)
    #expect(stage.messageIDs() == ["c/1"])
    #expect(try bridge.reader(routes).inbox() == stage.engagement.inbox)
    let task = Task { [engagement = stage.engagement] in
      for await _ in engagement.inboxUpdates {}
    }
    while stage.engagement.feedPublisher.observerCount == 0 { await Task.yield() }
    #expect(stage.engagement.feedPublisher.shownFeeds(of: "c") == [.cards])
    task.cancel()
    try await stage.end()
  }
}

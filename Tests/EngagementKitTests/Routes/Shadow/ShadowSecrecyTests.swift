import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// That nothing of a candidate's items is seen anywhere, and nothing is done to them.
@Suite("what a shadow keeps apart", .timeLimit(.minutes(20)))
struct ShadowSecrecyTests: ShadowSuite {
  let place = Stage.Place()
  let answers = Locked<[ProviderID: HTTPResponse]>([:])

  private func compared(_ spot: ShadowSpotKind = .cards) async throws -> Stage {
    set(#"["1.k","2.l"]"#, at: "a")
    set(#"["x.k.zebra","y.secretkey.quagga"]"#, at: "b")
    let stage = try await signedIn(spot)
    #expect(try await compare(stage, spot).last.both == 1)
    return stage
  }

  @Test(
    "X10: no snapshot, count or look-up has an item of a candidate",
    arguments: ShadowSpotKind.allCases)
  func shown(spot: ShadowSpotKind) async throws {
    let stage = try await compared(spot)
    let (engagement, reader) = (stage.engagement, try reader(spot))
    #expect(spot.shown(by: engagement) == ["a/1.k", "a/2.l"])
    #expect(engagement.cardCount(in: "home").unread == (spot == .inbox ? 0 : 2))
    #expect(engagement.inbox.unreadCount == (spot == .inbox ? 2 : 0))
    for id in [ItemID("b", "x.k.zebra"), ItemID("b", "y.secretkey.quagga")] {
      #expect(engagement.card(id) == nil && engagement.message(id) == nil)
      #expect(try reader.card(id) == nil && reader.message(id) == nil)
    }
    #expect(try reader.cards(in: "home").cards.allSatisfy { $0.id.provider == "a" })
    #expect(try await stage.kept("b", for: "u-1").isEmpty)
    #expect(try await stage.memory(of: "b", for: "u-1") == ProviderMemory())
    try await stage.end()
  }

  @Test("X10: an action on a candidate's item is refused, and one on its copy is not told to it")
  func actions() async throws {
    let stage = try await compared()
    let refused = await failure {
      try await stage.engagement.perform(.impression, on: ItemID("b", "x.k.zebra"))
    }
    #expect(refused?.code == .notFound)
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"), propagate: true)
    #expect(try await stage.waiting(for: "b", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test("X10: no event and no export has a candidate's item, and none is delivered")
  func events() async throws {
    let stage = try await compared()
    let events = try reader().events()
    #expect(events.contains { $0.kind == .delivered && $0.provider == "a" })
    #expect(events.allSatisfy { $0.provider != "b" && $0.item?.id.provider != "b" })
    #expect(events.allSatisfy { $0.kind != .itemQuarantined })
    try await stage.end()
  }

  @Test("X10: no byte of a candidate's contents is in the cache's files, and no text of a key")
  func bytes() async throws {
    let stage = try await compared()
    // Ids of items are in the examples, and the puppet's ids have its contents.
    let report = try #require(try await stage.engagement.parity().first)
    #expect(report.examples.map(\.candidate?.value).contains("y.secretkey.quagga"))
    place.clock.advance(by: .seconds(900))
    set(#"["x.k"]"#, at: "b")
    var vendors = Self.vendors
    vendors[1].shape = { card in
      card.extras["sku"] = "k"
      card.title = "okapi"
    }
    try await stage.end()
    let second = try await self.stage(vendors: vendors)
    #expect(try await compare(second).last.different == 1)
    try await second.end()
    #expect(try !place.holds("okapi"))
  }

  @Test("X10: no live feed, no freshness and no outcome of a refresh names a candidate")
  func freshness() async throws {
    let stage = try await compared()
    place.clock.advance(by: .seconds(900))
    #expect(await stage.engagement.refresh(.cards).providers.keys.sorted() == ["a"])
    #expect(stage.engagement.cards(in: "home").freshness.keys.sorted() == ["a"])
    let partition = try await stage.engagement.dependencies.store.partition(
      of: "u-1", at: place.clock.now)
    let feeds = try await stage.engagement.dependencies.store.feeds(of: partition)
    #expect(feeds.allSatisfy { $0.provider == "a" })
    try await stage.end()
  }

  @Test("X10: routed to for real, a candidate is as one that was never read")
  func realRoute() async throws {
    let asked = Locked<[String]>([])
    var vendors = Self.vendors
    vendors[1].onStep = { operation, context in
      guard operation.verb == .cards else { return nil }
      let mark = context.wantsEverything ? nil : context.values[.user, "mark"]
      asked.withLock { $0.append(mark ?? "all") }
      return nil
    }
    vendors[1].onAnswer = { operation, response, context in
      guard operation.verb == .cards else { return nil }
      if !context.wantsEverything, context.values[.user, "mark"] != nil {
        return Answer([.unchanged(.cards)])
      }
      let items = ["x.k", "y.m"].enumerated().map { RawItem(index: $0, id: $1) }
      return Answer([.items(.cards, .replace(.nothing), items), .keep(.user, "mark", "m-1")])
    }
    set(#"["1.k","2.l"]"#, at: "a")
    let stage = try await signedIn(vendors: vendors)
    let engagement = stage.engagement
    _ = try await compare(stage)
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(stage).last.both == 1)
    #expect(asked.withLock(\.self) == ["all", "all"])
    try await engagement.setRoute(.only("b"), for: .cards)
    #expect(ShadowSpotKind.cards.shown(by: engagement).isEmpty)
    #expect(engagement.cards(in: "home").freshness == ["b": nil])
    #expect(await engagement.refresh(.cards).providers == ["b": .fresh])
    #expect(ShadowSpotKind.cards.shown(by: engagement) == ["b/x.k", "b/y.m"])
    _ = await engagement.refresh(.cards)
    #expect(asked.withLock(\.self) == ["all", "all", "all", "m-1"])
    let delivered = try reader().events().filter { $0.kind == .delivered && $0.provider == "b" }
    #expect(delivered.compactMap(\.item?.id.value).sorted() == ["x.k", "y.m"])
    #expect(try await engagement.compareShadows().isEmpty)
    // Back beside the other one, the list that the cache has now is compared where nothing changed.
    try await engagement.resetRoute(for: .cards)
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(stage).last.both == 1)
    try await stage.end()
  }

  @Test("X10 X20: another user has no comparisons of the first, and an erasure takes them")
  func users() async throws {
    let stage = try await compared()
    let engagement = stage.engagement
    _ = try await engagement.signOut(within: .zero)
    try await stage.signIn("u-2", consent: .full)
    #expect(try await engagement.parity().map(\.comparisons) == [0])
    #expect(try reader().parity(of: "u-1").map(\.comparisons) == [1])
    _ = try await engagement.signOut(within: .zero)
    try await stage.signIn("u-1")
    #expect(try await engagement.parity().map(\.comparisons) == [1])
    _ = try await engagement.eraseData(of: "u-1")
    try await stage.signIn("u-1", consent: .full)
    #expect(try await engagement.parity().map(\.comparisons) == [0])
    try await stage.end()
    #expect(try !place.holds("quagga"))
  }

  @Test("X10 X20: nothing is read for a user without consent")
  func consent() async throws {
    set(#"["1.k"]"#, at: "a")
    set(#"["x.k"]"#, at: "b")
    let stage = try await signedIn()
    _ = await stage.engagement.refresh(.cards)
    try await stage.engagement.setConsent(.denied)
    #expect(try await stage.engagement.compareShadows().map(\.comparisons) == [0])
    #expect(asked(stage) == 0)
    try await stage.end()
  }

  @Test("X10: an answer that comes when the user has left is compared for nobody")
  func lateAnswer() async throws {
    let (reached, go) = (AsyncSignal(), AsyncSignal())
    set(#"["1.k"]"#, at: "a")
    let stage = try await signedIn(script: { request in
      guard request.isFor("b") else { return .json(200, #"["1.k"]"#) }
      let seen = go.count
      reached.fire()
      await go.wait(after: seen)
      return .json(200, #"["x.k"]"#)
    })
    let engagement = stage.engagement
    _ = await engagement.refresh(.cards)
    let seen = reached.count
    async let compared = engagement.compareShadows()
    await reached.wait(after: seen)
    _ = try await engagement.signOut(within: .zero)
    try await stage.signIn("u-2", consent: .full)
    go.fire()
    #expect(try await compared.map(\.comparisons) == [0])
    #expect(try reader().parity(of: "u-1").map(\.comparisons) == [0])
    try await stage.end()
  }
}

extension RawItem {
  fileprivate init(index: Int, id: String) {
    self.init(index: index, bytes: JSON.object(["id": .string(id)]).encoded()[...])
  }
}

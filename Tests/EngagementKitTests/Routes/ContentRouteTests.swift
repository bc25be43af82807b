import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Content keys through the interface of an application.
@Suite("content keys", .timeLimit(.minutes(20))) struct ContentRouteTests {
  private typealias Verb = EngagementAdapterAPI.Operation.Verb

  private let place = Stage.Place()
  private static let keys: ContentKeys = ["a": .extra("sku"), "b": .extra("sku")]

  /// A vendor whose items have what follows the first dot of their ids as their key.
  private static func vendor(
    _ provider: ProviderID, _ more: [Verb: Ability] = [:]
  ) -> PuppetAdapter {
    var vendor = PuppetAdapter(
      provider, abilities: PuppetAdapter.able.merging(more) { _, new in new })
    @Sendable func key(_ id: ItemID) -> JSON? {
      id.value.split(separator: ".", maxSplits: 1).dropFirst().first.map { .string(String($0)) }
    }
    vendor.shape = { $0.extras["sku"] = key($0.id) }
    vendor.shapeMessage = { $0.custom["sku"] = key($0.id) }
    return vendor
  }

  private static let vendors = [
    vendor("a", [.act("read", on: .inbox): .request, .act("impression", on: .cards): .request]),
    vendor("b", [.act("impression", on: .cards): .localOnly]),
  ]

  /// The lists of two vendors, which a test may change.
  private final class Lists: Sendable {
    let all = Locked<[String: String]>([:])
    func set(_ list: String, at provider: ProviderID, _ path: String = "cards") {
      all.withLock { $0["\(provider) \(path)"] = list }
    }
    func answer(_ request: HTTPRequest) -> HTTPResponse {
      let host = request.isFor("a") ? "a" : "b"
      for path in ["cards", "inbox"] where request.line.hasSuffix("/\(path)") {
        return .json(200, all.withLock { $0["\(host) \(path)"] } ?? "[]")
      }
      return .json(200, "[]")
    }
  }

  private let lists = Lists()

  private func stage(
    _ keys: ContentKeys = keys, routes: Routes? = nil, vendors: [PuppetAdapter] = vendors
  ) async throws -> Stage {
    let lists = lists
    let stage = try await Stage(
      vendors, routes: routes, contentKeys: keys, at: place, { lists.answer($0) })
    try await stage.signIn("u-1", consent: .full)
    return stage
  }

  private func refresh(_ stage: Stage) async {
    _ = await stage.engagement.refresh(.cards(in: "home"))
    _ = await stage.engagement.refresh(.inbox)
  }

  private func cards(_ stage: Stage) -> [String] {
    stage.engagement.cards(in: "home").cards.map(\.id.description)
  }

  private func reader(_ routes: Routes? = nil) throws -> EngagementReader {
    try EngagementReader.open(
      at: place, Self.vendors, routes: routes, contentKeys: Self.keys)
  }

  @Test("X4: one content appears once, as the copy that the route prefers, here and elsewhere")
  func once() async throws {
    lists.set(#"["1.k","2"]"#, at: "a")
    lists.set(#"["1.k","3.l"]"#, at: "b")
    let stage = try await stage()
    await refresh(stage)
    #expect(Set(cards(stage)) == ["a/1.k", "a/2", "b/3.l"])
    #expect(stage.engagement.cardCount(in: "home").unread == 3)
    #expect(try reader().cards(in: "home") == stage.engagement.cards(in: "home"))
    try await stage.engagement.setRoute(.merge(["b", "a"]), for: .cards)
    #expect(Set(cards(stage)) == ["b/1.k", "b/3.l", "a/2"])
    try await stage.engagement.setRoute(.only("a"), for: .cards)
    #expect(Set(cards(stage)) == ["a/1.k", "a/2"])
    try await stage.end()
  }

  @Test("X4: the action goes to the owner of the shown copy, and its effect to all of them")
  func owner() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["9.k"]"#, at: "b")
    lists.set(#"["m.k"]"#, at: "b", "inbox")
    var stage = try await stage()
    await refresh(stage)
    try await stage.engagement.perform(.impression, on: ItemID("a", "1.k"))
    #expect(stage.engagement.inbox.unreadCount == 0)
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    #expect(cards(stage) == [] && stage.engagement.inbox.messages.isEmpty)
    #expect(try await stage.waiting(for: "b", of: "u-1").isEmpty)
    await stage.drain("a", "b")
    lists.set("[]", at: "a")
    await refresh(stage)
    #expect(cards(stage) == [])
    try await stage.end()
    stage = try await self.stage()
    #expect(cards(stage) == [])
    await refresh(stage)
    #expect(cards(stage) == [])
    #expect(try reader().cards(in: "home").cards.isEmpty)
    // Nobody lists it any more, also a day later, and so it is new when it comes again.
    lists.set("[]", at: "b")
    lists.set("[]", at: "b", "inbox")
    await refresh(stage)
    stage.clock.advance(by: .seconds(86_400))
    await refresh(stage)
    lists.set(#"["9.k"]"#, at: "b")
    await refresh(stage)
    #expect(cards(stage) == ["b/9.k"])
    try await stage.end()
  }

  @Test("X4 X9 R4.7: a fail-over shows no copy of what was dismissed and ended before it")
  func failedOver() async throws {
    lists.set(#"["1.k","2.l"]"#, at: "a")
    lists.set(#"["8.k","9.l"]"#, at: "b")
    let (down, lists) = (Locked(false), lists)
    let routes = Routes(cards: .firstReady(["a", "b"], try FailOver(failures: 1)), inbox: .none)
    let stage = try await Stage(
      Self.vendors, routes: routes, contentKeys: Self.keys, at: place
    ) { request in
      down.withLock(\.self) && request.isFor("a") ? HTTPResponse(503) : lists.answer(request)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    await stage.drain("a")
    lists.set(#"["2.l"]"#, at: "a")
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(cards(stage) == ["a/2.l"])
    down.withLock { $0 = true }
    for _ in 0..<2 { _ = await stage.engagement.refresh(.cards(in: "home")) }
    #expect(cards(stage) == ["b/9.l"])
    try await stage.end()
  }

  @Test("X4: with propagate every vendor of a copy is told in its own words")
  func propagated() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["9.k","8.k"]"#, at: "b")
    lists.set(#"["m.k"]"#, at: "a", "inbox")
    let stage = try await stage()
    await refresh(stage)
    let before = try reader().newestSequence
    let receipt = try await stage.engagement.perform(
      .dismiss, on: ItemID("a", "1.k"), propagate: true)
    #expect(receipt.providers == ["a", "b"])
    let told = try await stage.waiting(for: "b", of: "u-1").compactMap { work -> String? in
      guard case .operation(.act(.dismiss, let item)) = work else { return nil }
      return item.id.value
    }
    #expect(told.sorted() == ["8.k", "9.k"])
    // The inbox of a has no word for a dismissal.
    #expect(try await stage.waiting(for: "a", of: "u-1").count == 1)
    #expect(cards(stage) == [] && stage.engagement.inbox.messages.isEmpty)
    // The user acted once.
    #expect(try reader().events(after: before).map(\.kind) == [.dismiss])
    await stage.drain("a")
    #expect(receipt.outcomes == ["a": .delivered])
    await stage.drain("b")
    #expect(try await receipt.outcome(within: .seconds(5)) == .delivered)
    // What a vendor only keeps on the device is no row.
    lists.set(#"["2.l"]"#, at: "a")
    lists.set(#"["2.l"]"#, at: "b")
    await refresh(stage)
    try await stage.engagement.perform(
      .impression, on: try #require(stage.engagement.card(ItemID("a", "2.l"))), propagate: true)
    #expect(try await stage.waiting(for: "b", of: "u-1").isEmpty)
    #expect(stage.engagement.card(ItemID("b", "2.l"))?.isViewed == true)
    try await stage.end()
  }

  @Test("X4: a refused action comes back everywhere; of a propagated one, the refuser's part")
  func refused() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["9.k"]"#, at: "b")
    var vendors = Self.vendors
    vendors[0].onAnswer = { operation, _, _ in
      guard case .act = operation else { return nil }
      return .refused(.conflict, "No.")
    }
    let stage = try await stage(vendors: vendors)
    await refresh(stage)
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    #expect(cards(stage) == [])
    await stage.drain("a")
    #expect(cards(stage) == ["b/9.k"])
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"), propagate: true)
    await stage.drain("a", "b")
    #expect(cards(stage) == [])
    try await stage.end()
  }

  @Test("X4: a key that cannot be one is logged once, and two items of one key are an event")
  func told() async throws {
    lists.set(#"["1.k","2.k","3.\#(String(repeating: "x", count: 1_001))"]"#, at: "a")
    let stage = try await stage()
    for _ in 0..<3 { await refresh(stage) }
    let lines = stage.lines.all.filter { $0.message.contains("content key") }
    #expect(lines.map(\.provider) == ["a"])
    #expect(cards(stage).count == 3)
    let events = try reader().events().filter { $0.kind == .contentDuplicated }
    #expect(events.map { $0.properties["count"] } == [2])
    try await stage.end()
  }

  @Test(
    "X4: a wrong source of keys is refused with its field and the nearest name",
    arguments: [
      (["aa": .campaign], #"contentKeys names "aa", which is no provider; did you mean "a"?"#),
      (["a": .extra("")], #"contentKeys["a"].extra is empty."#),
      (
        ["a": .campaign, "a": .fingerprint],
        #"contentKeys["a"] is there twice; remove one of them."#
      ),
    ] as [(ContentKeys, String)])
  func configuration(keys: ContentKeys, message: String) async throws {
    let error = await failure { try await stage(keys) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message == message)
    #expect(
      await failure {
        try EngagementReader.open(at: place, Self.vendors, contentKeys: keys)
      }?.message == message)
  }
}

import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("shadow", .timeLimit(.minutes(20))) struct ShadowTests: ShadowSuite {
  let place = Stage.Place()
  let answers = Locked<[ProviderID: HTTPResponse]>([:])
  private static let threeKeys: ContentKeys = [
    "a": .extra("sku"), "b": .extra("sku"), "c": .extra("sku"),
  ]

  @Test(
    "X10: each kind of mismatch is counted by content key, with examples",
    arguments: ShadowSpotKind.allCases)
  func kinds(spot: ShadowSpotKind) async throws {
    set(#"["1.k","2.l","3.m","4.n.old","5.o","6","7.k"]"#, at: "a")
    set(#"["x1.m","x2.k","x3.n.new","x4.p","x5.q","x6"]"#, at: "b")
    let stage = try await signedIn(spot)
    let report = try await compare(stage, spot)
    #expect(report.surface == spot.surface)
    #expect(report.container == (spot == .container ? "home" : nil))
    #expect(report.candidate == "b" && report.shown == ["a"] && report.comparisons == 1)
    #expect(report.comparedAt == place.clock.now && report.withoutContentKeys.isEmpty)
    var figures = ParityReport.Figures()
    figures.both = 3
    figures.onlyShown = 2
    figures.onlyCandidate = 2
    figures.different = 1
    figures.moved = 1
    figures.fields = ["title": 1]
    figures.shownWithoutKey = 1
    figures.candidateWithoutKey = 1
    figures.repeated = 1
    #expect(report.last == figures && report.total == figures && figures.compared == 7)
    #expect(
      report.examples == [
        .init(.onlyShown, shown: ItemID("a", "2.l")),
        .init(
          .different, shown: ItemID("a", "4.n.old"), candidate: ItemID("b", "x3.n.new"),
          fields: ["title"]),
        .init(.onlyShown, shown: ItemID("a", "5.o")),
        .init(.onlyCandidate, candidate: ItemID("b", "x4.p")),
        .init(.onlyCandidate, candidate: ItemID("b", "x5.q")),
        .init(.moved, shown: ItemID("a", "3.m"), candidate: ItemID("b", "x1.m")),
      ])
    #expect(try reader(spot).parity() == [report])
    try await stage.end()
    let second = try await self.stage(spot)
    #expect(try await second.engagement.parity() == [report])
    try await second.end()
  }

  @Test("X10: what the candidate lists later is counted with its delay, over a restart")
  func later() async throws {
    set(#"["1.k","2.l"]"#, at: "a")
    set(#"["x.l"]"#, at: "b")
    let stage = try await signedIn()
    #expect(try await compare(stage).last.onlyShown == 1)
    try await stage.end()
    set(#"["y.k","x.l"]"#, at: "b")
    place.clock.advance(by: .seconds(900))
    let second = try await self.stage()
    let report = try await compare(second)
    #expect(report.last.later == 1 && report.last.both == 2 && report.last.onlyShown == 0)
    #expect(report.longestDelay == .seconds(900) && report.comparisons == 2)
    #expect(
      report.examples == [.init(.later, shown: ItemID("a", "1.k"), candidate: ItemID("b", "y.k"))])
    #expect(report.total.both == 3 && report.total.onlyShown == 1)
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(second).last.later == 0)
    try await second.end()
  }

  @Test("X10: items without a content key are counted as such, and providers without keys named")
  func withoutKeys() async throws {
    set(#"["1.k","2"]"#, at: "a")
    set(#"["x.k"]"#, at: "b")
    let stage = try await signedIn(keys: ["a": .extra("sku")])
    let report = try await compare(stage)
    #expect(report.withoutContentKeys == ["b"])
    #expect(report.last.onlyShown == 1 && report.last.shownWithoutKey == 1)
    #expect(report.last.candidateWithoutKey == 1 && report.last.onlyCandidate == 0)
    try await stage.end()
  }

  @Test("X10: what the user has ended is no mismatch, also when its vendor lists it no more")
  func ended() async throws {
    set(#"["1.k","2.l"]"#, at: "a")
    set(#"["x.k","y.l"]"#, at: "b")
    let stage = try await signedIn()
    _ = try await compare(stage)
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    for list in [#"["1.k","2.l"]"#, #"["2.l"]"#, #"["2.l"]"#] {
      set(list, at: "a")
      place.clock.advance(by: .seconds(900))
      let figures = try await compare(stage).last
      #expect(figures.ended == 1 && figures.both == 1)
      #expect(figures.onlyShown == 0 && figures.onlyCandidate == 0)
    }
    // The candidate has ended it too, and lists it anew.
    set(#"["y.l"]"#, at: "b")
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(stage).last.ended == 0)
    // The answers of a candidate are not kept, so that it is waited for as long as for one that has none.
    place.clock.advance(by: .seconds(30 * 86_400))
    _ = try await compare(stage)
    set(#"["x.k","y.l"]"#, at: "b")
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(stage).last.onlyCandidate == 1)
    try await stage.end()
  }

  @Test("X10: an item that cannot be read is counted, and the others are compared")
  func unreadable() async throws {
    var vendors = Self.vendors
    vendors[1].onAnswer = { operation, _, _ in
      guard operation.verb == .cards else { return nil }
      let items = [#"{"id":"x.k"}"#, #"{"no":1}"#, "[", #"{"id":"z.l"}"#].enumerated().map {
        RawItem(index: $0, bytes: Array($1.utf8)[...])
      }
      return Answer([.items(.cards, .replace(.nothing), items)])
    }
    set(#"["1.k","2.l"]"#, at: "a")
    let stage = try await signedIn(vendors: vendors)
    let report = try await compare(stage)
    #expect(report.last.both == 2 && report.last.unreadable == 2)
    #expect(try await stage.engagement.quarantinedItems().isEmpty)
    try await stage.end()
  }

  @Test("X10: a route with a fail-over falls over beside a shadow, and the candidate stays apart")
  func failOver() async throws {
    let vendors = Self.vendors + [Self.vendor("c")]
    let route = Route.shadow(
      .firstReady(["a", "c"], try FailOver(failures: 1)), try Shadow(["b"]))
    set(503, at: "a")
    set(#"["1.k"]"#, at: "c")
    set(#"["x.k"]"#, at: "b")
    let stage = try await signedIn(.cards, route, keys: Self.threeKeys, vendors: vendors)
    _ = await stage.engagement.refresh(.cards)
    #expect(ShadowSpotKind.cards.shown(by: stage.engagement) == ["c/1.k"])
    let report = try #require(try await stage.engagement.compareShadows().first)
    #expect(report.shown == ["c"] && report.last.both == 1)
    try await stage.end()
    let second = try await self.stage(.cards, route, keys: Self.threeKeys, vendors: vendors)
    #expect(ShadowSpotKind.cards.shown(by: second.engagement) == ["c/1.k"])
    try await second.end()
  }

  @Test("X10: a merged route is compared as it is shown, with each content once")
  func merged() async throws {
    let vendors = Self.vendors + [Self.vendor("c")]
    set(#"["1.k","2.l"]"#, at: "a")
    set(#"["3.k","4.m"]"#, at: "c")
    set(#"["x.k","y.l","z.m"]"#, at: "b")
    let stage = try await signedIn(
      .cards, .shadow(.merge(["a", "c"]), try Shadow(["b"])), keys: Self.threeKeys,
      vendors: vendors)
    let report = try await compare(stage)
    #expect(report.shown == ["a", "c"] && report.last.both == 3 && report.last.compared == 3)
    #expect(report.last.repeated == 0 && report.last.moved == 0)
    try await stage.end()
  }

  @Test("X10: run() compares after a refresh by itself")
  func running() async throws {
    set(#"["1.k"]"#, at: "a")
    set(#"["x.k"]"#, at: "b")
    let stage = try await signedIn()
    let engagement = stage.engagement
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await engagement.run() }
      #expect(await engagement.refresh(.cards).isComplete)
      while try await engagement.parity().first?.comparisons != 1 { await Task.yield() }
      group.cancelAll()
    }
    try await stage.end()
  }
}

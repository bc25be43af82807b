import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestDisk
import Testing

@testable import EngagementKit

@Suite("changes of routes", .timeLimit(.minutes(20))) struct RouteChangesTests {
  private let place = Stage.Place()
  private static let vendors = [PuppetAdapter("a"), PuppetAdapter("b")]
  private static let onlyA = Routes(cards: .only("a"), inbox: .only("a"))

  private func stage(
    _ vendors: [PuppetAdapter] = vendors, _ routes: Routes = onlyA,
    _ script: @escaping ScriptedTransport.Script = { _ in .json(200, #"["1"]"#) }
  ) async throws -> Stage {
    try await Stage(vendors, routes: routes, at: place, script)
  }

  private func changes(_ vendors: [PuppetAdapter] = vendors) throws -> [JSONObject] {
    try EngagementReader.open(at: place, vendors, routes: Routes(cards: .none, inbox: .none))
      .events().filter { $0.kind == .routeChanged }.map(\.properties)
  }

  /// How many transactions the log of the cache has.
  private func commits() throws -> Int {
    let log = try Stage.bytes(at: place.path + "-wal")
    func number(at offset: Int) -> Int {
      log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let frame = 24 + number(at: 8)
    // The salts of frames that are left from before the log was begun again differ.
    return stride(from: 32, to: log.count - frame + 1, by: frame).count {
      number(at: $0 + 4) > 0 && log[$0 + 8..<$0 + 16] == log[16..<24]
    }
  }

  @Test("X2: a route and its event are in one commit")
  func oneCommit() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    let before = try commits()
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    #expect(try commits() == before + 1)
    #expect(
      try changes() == [["surface": "cards", "from": ["only": "a"], "to": ["only": "b"]]])
    try await stage.engagement.setRoute(.none, for: .cards, in: "news")
    #expect(try commits() == before + 2)
    #expect(
      try changes().last == [
        "surface": "cards", "container": "news", "from": ["only": "b"], "to": "none",
      ])
    // The same route again is no change.
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    #expect(try changes().count == 2)
    try await stage.end()
    let later = try await self.stage()
    #expect(later.engagement.routes.cards == .only("b"))
    #expect(later.engagement.routes.containers == ["news": .none])
    try await later.end()
  }

  @Test(
    "X2: a change of route on a disk that fails changes nothing and says so",
    arguments: [FaultyDisk.Fault.write, .lateWrite])
  func failingDisk(fault: FaultyDisk.Fault) async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    let engagement = stage.engagement
    try await FaultyDisk.failing(fault, under: place.folder.path) {
      let set = await failure { try await engagement.setRoute(.only("b"), for: .cards) }
      #expect(set?.code == .storage)
      let other = await failure { try await engagement.setRoute(.none, for: .cards, in: "news") }
      #expect(other?.code == .storage)
    }
    #expect(engagement.routes == Self.onlyA)
    #expect(try changes().isEmpty)
    try await engagement.setRoute(.only("b"), for: .cards)
    #expect(engagement.routes.cards == .only("b"))
    #expect(try changes().count == 1)
    try await stage.end()
    let later = try await self.stage()
    #expect(later.engagement.routes.cards == .only("b"))
    try await later.end()
  }

  @Test("X2: a reset follows the configured route again, also after a restart")
  func reset() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    try await stage.engagement.setRoute(.none, for: .cards, in: "news")
    try await stage.engagement.resetRoute(for: .cards)
    try await stage.engagement.resetRoute(for: .cards, in: "news")
    #expect(stage.engagement.routes == Self.onlyA)
    #expect(
      try changes().last == [
        "surface": "cards", "container": "news", "from": "none", "to": ["only": "a"],
      ])
    try await stage.end()
    let other = try await self.stage(Self.vendors, Routes(cards: .none, inbox: .none))
    #expect(other.engagement.routes == Routes(cards: .none, inbox: .none))
    try await other.end()
  }

  @Test("X2: observers see one change, and nothing of the former provider after it")
  func observers() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("1")], .a)
    await stage.commit([.b("1")], .b)
    let seen = Locked<[[String]]>([])
    _ = stage.feedPublisher.add(
      .cards(
        "home", matching: [],
        { snapshot in seen.withLock { $0.append(snapshot.feed.cards.map(\.id.description)) } },
        finish: {}))
    stage.show(.only("b"))
    await stage.commit([.a("2")], .a)
    #expect(seen.withLock(\.self) == [["a/1"], ["b/1"]])
    #expect(stage.ids() == ["b/1"])
  }

  @Test("X2: what comes late is kept for its provider and shown to nobody")
  func late() async throws {
    let gate = Gate()
    let stage = try await stage { request in
      if request.isFor("a") { await gate.pass() }
      return .json(200, request.isFor("a") ? #"["late"]"# : #"["b"]"#)
    }
    try await stage.signIn("u-1")
    let engagement = stage.engagement
    async let refreshed = engagement.refresh(.cards(in: "home"))
    await gate.isHolding(1)
    try await engagement.setRoute(.only("b"), for: .cards)
    let seen = Locked<[[String]]>([])
    _ = engagement.feedPublisher.add(
      .cards(
        "home", matching: [],
        { snapshot in seen.withLock { $0.append(snapshot.feed.cards.map(\.id.description)) } },
        finish: {}))
    gate.open()
    #expect(await refreshed.providers == ["a": .fresh])
    #expect(engagement.cards(in: "home").cards.isEmpty)
    #expect(seen.withLock(\.self) == [[]])
    #expect(try await stage.kept("a", for: "u-1") == ["late"])
    try await engagement.setRoute(.only("a"), for: .cards)
    #expect(engagement.cards(in: "home").cards.map(\.id.description) == ["a/late"])
    try await stage.end()
  }

  @Test("X2 G5: what was done to the former provider's items is delivered after the switch")
  func delivered() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1"), surface: .cards)
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    await stage.drain("a")
    let deliveries = stage.transport.requests.filter { $0.method == "POST" }
    #expect(deliveries.count == 1 && deliveries.allSatisfy { $0.isFor("a") })
    #expect(try await stage.waiting(for: "a", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test("X2: two switches at once end in one of them")
  func atOnce() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    let engagement = stage.engagement
    for _ in 0..<20 {
      await withTaskGroup(of: Void.self) { group in
        for route in [Route.only("a"), .only("b"), .merge(["a", "b"])] {
          group.addTask { try? await engagement.setRoute(route, for: .cards) }
        }
      }
      #expect(try changes().last?["to"] == engagement.routes.cards.json)
    }
    // Each event begins where the one before it ended.
    let events = try changes()
    for (event, next) in zip(events, events.dropFirst()) { #expect(event["to"] == next["from"]) }
    let last = engagement.routes
    try await stage.end()
    let later = try await self.stage()
    #expect(later.engagement.routes == last)
    try await later.end()
  }

  @Test("X2 G11: a running process follows the route that another set")
  func followed() async throws {
    let (watcher, other) = (try await stage(), try await stage())
    try await watcher.signIn("u-1")
    try await other.signIn("u-1")
    _ = await watcher.engagement.refresh(.cards(in: "home"))
    #expect(watcher.engagement.cards(in: "home").cards.count == 1)
    let running = Task { try await watcher.engagement.run() }
    try await other.engagement.setRoute(.only("b"), for: .cards)
    for _ in 0..<2_000 where watcher.engagement.routes.cards != .only("b") {
      try await Task.sleep(for: .milliseconds(2))
      place.clock.advance(by: .milliseconds(10))
    }
    #expect(watcher.engagement.routes.cards == .only("b"))
    #expect(watcher.engagement.cards(in: "home").cards.isEmpty)
    running.cancel()
    try await running.value
    try await watcher.end()
    try await other.end()
  }

  @Test("X2: a kept route whose provider is gone is told once, and holds again when it is back")
  func gone() async throws {
    let few = [PuppetAdapter("a")]
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.setRoute(.only("b"), for: .cards)
    try await stage.end()
    let sentence =
      "The route of cards that was set earlier names \"b\", which is no provider any more; the configured one holds."
    for told in [1, 0, 0] {
      let later = try await self.stage(few)
      #expect(later.engagement.routes == Self.onlyA)
      #expect(
        later.lines.all.filter { $0.level == .warning && $0.message == sentence }.count == told)
      try await later.end()
    }
    let told = try changes(few).filter { $0["reason"] != nil }
    #expect(
      told == [
        [
          "surface": "cards", "to": ["only": "a"], "from": ["only": "b"],
          "reason": .string(sentence),
        ]
      ])
    let back = try await self.stage()
    #expect(back.engagement.routes.cards == .only("b"))
    try await back.end()
  }

  @Test("X2: reading a snapshot a thousand times leaves the file byte for byte")
  func readingOnly() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    _ = await stage.engagement.refresh(.inbox)
    let reader = try EngagementReader.open(at: place, Self.vendors, routes: Self.onlyA)
    func files() throws -> [[UInt8]] {
      try [place.path, place.path + "-wal"].map { try Stage.bytes(at: $0) }
    }
    let before = try files()
    for index in 0..<1_000 {
      #expect(stage.engagement.cards(in: "home").cards.count == 1)
      #expect(stage.engagement.inbox.messages.count == 1)
      guard index % 50 == 0 else { continue }
      #expect(try reader.cards(in: "home").cards.count == 1)
      #expect(try reader.inbox().messages.count == 1)
    }
    #expect(try files() == before)
    try await stage.end()
  }
}

import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

typealias MigrationPlan = Engagement.MigrationPlan
typealias MigrationStage = Engagement.MigrationStage

/// Moves between two vendors through the interface of an application.
@Suite("migration", .timeLimit(.minutes(20))) struct MigrationTests {
  private let place = Stage.Place()
  private let lists = VendorLists()

  private static let stages: [MigrationStage] = [
    .shadow, .canary(percent: 5), .ramp(percent: 50), .cutover, .drain, .removed,
  ]
  /// Gates that hold at once.
  private static let open: [MigrationStage.Kind: [Engagement.MigrationFigure: Double]] = [
    .shadow: [:], .canary: [:], .ramp: [:], .cutover: [:], .drain: [:], .off: [:],
  ]

  private static func plan(
    _ surfaces: [Engagement.Surface] = [.cards], stages: [MigrationStage] = stages,
    gates: [MigrationStage.Kind: [Engagement.MigrationFigure: Double]] = open,
    takesBack: Bool = false, isAutomatic: Bool = false
  ) throws -> MigrationPlan {
    try MigrationPlan(
      from: "a", to: "b", moves: surfaces.map { .init($0, stages: stages) }, gates: gates,
      takesBack: takesBack, isAutomatic: isAutomatic)
  }

  private func stage(
    _ user: User = "u-1", routes: Routes = Routes(cards: .only("a"), inbox: .only("a"))
  ) async throws -> Stage {
    let lists = lists
    let stage = try await Stage(
      VendorLists.vendors, routes: routes, contentKeys: VendorLists.keys, at: place
    ) { lists.answer($0) }
    try await stage.signIn(user, consent: .full)
    return stage
  }

  private func advance(_ stage: Stage, to target: MigrationStage) async throws {
    while try await stage.engagement.migrations().first?.stage != target {
      try await stage.engagement.advanceMigration(of: .cards)
    }
  }

  private func refresh(_ stage: Stage) async {
    _ = await stage.engagement.refresh(.cards(in: "home"))
    _ = try? await stage.engagement.compareShadows()
  }

  private func cards(_ stage: Stage) -> [String] {
    stage.engagement.cards(in: "home").cards.map(\.id.description).sorted()
  }

  @Test("X15: each stage is a route, and back at off the surface has the one that it had")
  func stages() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan())
    #expect(engagement.routes.cards == .only("a"))
    var seen: [String] = []
    for _ in Self.stages {
      try await engagement.advanceMigration(of: .cards)
      seen.append(String(decoding: engagement.routes.cards.json.encoded(), as: UTF8.self))
    }
    #expect(seen[0].contains(#""shadow""#) && seen[0].contains(#""candidates":["b"]"#))
    #expect(seen[1].contains(#""share":0.95"#) && seen[2].contains(#""share":0.5"#))
    #expect(seen[3...] == [#"{"only":"b"}"#, #"{"only":"b"}"#, #"{"only":"b"}"#])
    let end = await failure { try await engagement.advanceMigration(of: .cards) }
    #expect(end?.code == .conflict)
    let back = await failure { try await engagement.takeBackMigration(of: .cards) }
    #expect(back?.code == .conflict)
    // Once it is done, the application sets routes again.
    try await engagement.setRoute(.only("a"), for: .cards)
    try await stage.end()
  }

  @Test(
    "X15: a move that is taken back restores a route that was set at run time, and a configured one"
  )
  func restored() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan())
    try await advance(stage, to: .cutover)
    try await engagement.takeBackMigration(of: .cards, to: .off, by: "eva", why: "a test")
    #expect(engagement.routes.cards == .only("a"))
    try await engagement.setRoute(.merge(["c", "a"]), for: .cards)
    try await advance(stage, to: .drain)
    #expect(engagement.routes.cards == .merge(["c", "b"]))
    try await engagement.takeBackMigration(of: .cards, to: .off)
    #expect(engagement.routes.cards == .merge(["c", "a"]))
    let steps = try await engagement.events().filter { $0.kind == .migrationStepped }
    #expect(steps.count == 11)
    let back = try #require(steps.first { $0.properties["by"] == "eva" }?.properties)
    #expect(back["from"] == "cutover" && back["to"] == "off" && back["why"] == "a test")
    try await stage.end()
  }

  @Test("X15: a stage and its route survive a restart")
  func restart() async throws {
    let stage = try await stage()
    try await stage.engagement.startMigration(try Self.plan())
    try await advance(stage, to: .cutover)
    try await stage.end()
    let later = try await self.stage()
    #expect(later.engagement.routes.cards == .only("b"))
    let status = try #require(try await later.engagement.migrations().first)
    #expect(status.stage == .cutover && status.next == .drain && status.steps.count == 4)
    try await later.engagement.takeBackMigration(of: .cards, to: .off)
    #expect(later.engagement.routes.cards == .only("a"))
    try await later.end()
  }

  @Test("X15 G9: a repaired cache keeps a migration with its route")
  func repaired() async throws {
    let stage = try await stage()
    try await stage.engagement.startMigration(try Self.plan())
    try await advance(stage, to: .cutover)
    try await stage.end()
    var bytes = try Data(contentsOf: URL(filePath: place.path))
    // One bit of the version in the header: the file is refused, and every page of it is sound.
    bytes[63] ^= 0x80
    try bytes.write(to: URL(filePath: place.path))
    let later = try await self.stage()
    #expect(later.engagement.recovery != nil && later.engagement.routes.cards == .only("b"))
    let status = try #require(try await later.engagement.migrations().first)
    #expect(status.stage == .cutover && status.refusal == nil)
    try await later.engagement.takeBackMigration(of: .cards, to: .off)
    #expect(later.engagement.routes.cards == .only("a"))
    try await later.end()
  }

  @Test("X15: a provider that is gone in mid-move leaves the screen to the configured one")
  func vanished() async throws {
    let stage = try await stage()
    try await stage.engagement.startMigration(try Self.plan())
    try await advance(stage, to: .cutover)
    try await stage.end()
    let later = try await Stage(
      VendorLists.vendors.filter { $0.provider != "b" },
      routes: Routes(cards: .only("a"), inbox: .only("a")), contentKeys: ["a": .extra("sku")],
      at: place)
    #expect(later.engagement.routes.cards == .only("a"))
    let status = try #require(try await later.engagement.migrations().first)
    #expect(
      status.refusal
        == "The route of cards that was set earlier names \"b\", which is no provider any more; the "
        + "configured one holds.")
    #expect(status.stage == .cutover)
    try await later.engagement.takeBackMigration(of: .cards, to: .off)
    #expect(try await later.engagement.migrations().first?.refusal == nil)
    try await later.end()
  }

  @Test(
    "X15: a share that grows adds people, on all surfaces the same, and takes back the last added")
  func shares() throws {
    let routes = try [RoutedSurface.cards, .push].map { surface in
      try MigrationRoutes(
        from: "a", to: "b", surface, former: .only("a"),
        among: VendorLists.vendors.map { Provider($0.provider, $0) })
    }
    var former: Set<Int> = []
    for percent in [1, 5, 25, 50, 99] {
      let moved = try routes.map { routes in
        let split = try #require(
          try routes.route(at: .ramp(percent: percent))?.parts.split)
        return Set((0..<4_000).filter { split.standing(of: "person-\($0)") == .arm("moved") })
      }
      #expect(moved[0] == moved[1] && moved[0].isSuperset(of: former))
      let distance = moved[0].count - 40 * percent
      #expect(abs(distance) < 160)
      former = moved[0]
    }
  }

  @Test(
    "X15: what was dismissed stays away though the old vendor ended it before the new one lists it")
  func carriedOver() async throws {
    lists.set(#"["1.k","2.l"]"#, at: "a")
    let stage = try await stage()
    let engagement = stage.engagement
    await refresh(stage)
    try await engagement.startMigration(try Self.plan())
    try await engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    await stage.drain("a")
    lists.set(#"["2.l"]"#, at: "a")
    await refresh(stage)
    // Longer than without a migration.
    stage.clock.advance(by: .seconds(31 * 86_400))
    await refresh(stage)
    lists.set(#"["8.k","9.l"]"#, at: "b")
    try await advance(stage, to: .cutover)
    await refresh(stage)
    #expect(cards(stage) == ["b/9.l"])
    // Nothing that was not seen is hidden, and back at off nothing comes back either.
    lists.set(#"["2.l","1.k"]"#, at: "a")
    try await engagement.takeBackMigration(of: .cards, to: .off)
    await refresh(stage)
    #expect(cards(stage) == ["a/2.l"])
    // Once the migration is forgotten, contents that nobody lists are forgotten as ever: a day later.
    lists.set("[]", at: "a")
    lists.set("[]", at: "b")
    try await engagement.forgetMigration(of: .cards)
    _ = await engagement.refresh(.cards(in: "home"))
    for provider: ProviderID in ["b", "a", "c", "b"] {
      try await engagement.setRoute(.only(provider), for: .cards)
      _ = await engagement.refresh(.cards(in: "home"))
      stage.clock.advance(by: .seconds(86_400))
    }
    lists.set(#"["8.k"]"#, at: "b")
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(cards(stage) == ["b/8.k"])
    try await stage.end()
  }

  @Test("X15: an application sets no route of a surface that moves")
  func routeIsTaken() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan())
    try await engagement.setRoute(.only("a"), for: .cards)
    try await engagement.advanceMigration(of: .cards)
    let set = await failure { try await engagement.setRoute(.only("b"), for: .cards) }
    let reset = await failure { try await engagement.resetRoute(for: .cards) }
    #expect(set?.code == .conflict && set?.message.contains("is at shadow") == true)
    #expect(reset?.code == .conflict)
    let forget = await failure { try await engagement.forgetMigration(of: .cards) }
    #expect(forget?.code == .conflict)
    try await engagement.setRoute(.only("b"), for: .inbox)
    try await stage.end()
  }

  @Test("X15: two engagements of one cache never make one step twice")
  func twoProcesses() async throws {
    let stage = try await stage()
    let other = try await self.stage()
    try await stage.engagement.startMigration(try Self.plan())
    var stepped = 0
    for _ in 0..<4 {
      async let one = failure { try await stage.engagement.advanceMigration(of: .cards) }
      async let two = failure { try await other.engagement.advanceMigration(of: .cards) }
      for error in await [one, two] {
        if error == nil { stepped += 1 } else { #expect(error?.code == .conflict) }
      }
    }
    let status = try #require(try await stage.engagement.migrations().first)
    #expect(status.steps.count == stepped)
    let made = try await stage.engagement.events().filter { $0.kind == .migrationStepped }
    #expect(made.count == stepped && stepped >= 4)
    try await other.end()
    try await stage.end()
  }

  @Test("X15: a surface does not overtake one before it in the plan")
  func order() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan([.cards, .inbox]))
    let early = await failure { try await engagement.advanceMigration(of: .inbox) }
    #expect(early?.code == .conflict && early?.message.contains("cards comes before inbox") == true)
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .inbox)
    let next = await failure { try await engagement.advanceMigration(of: .inbox) }
    #expect(next?.code == .conflict)
    let status = try #require(try await engagement.migrations().last)
    #expect(status.surface == .inbox && !status.mayAdvance && status.obstacle == next?.message)
    try await stage.end()
  }

  @Test("X15: a surface that goes back takes those behind it in the plan along")
  func followers() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan([.cards, .inbox]))
    for _ in 0..<3 {
      try await engagement.advanceMigration(of: .cards)
      try await engagement.advanceMigration(of: .inbox)
    }
    try await engagement.takeBackMigration(of: .cards, to: .shadow, why: "a test")
    let statuses = try await engagement.migrations()
    #expect(statuses.map(\.stage) == [.shadow, .shadow])
    #expect(statuses.last?.steps.last?.why == "cards goes back to shadow: a test")
    // A surface that goes back alone leaves those before it.
    try await engagement.takeBackMigration(of: .inbox)
    #expect(try await engagement.migrations().map(\.stage) == [.shadow, .off])
    try await stage.end()
  }

  @Test("X15: another migration of the surface, and a plan without its stage, are refused")
  func otherPlans() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan())
    try await advance(stage, to: .canary(percent: 5))
    let other = try MigrationPlan(
      from: "a", to: "c", moves: [.init(.cards, stages: [.cutover, .drain, .removed])])
    let second = await failure { try await engagement.startMigration(other) }
    #expect(second?.code == .conflict && second?.message.contains(#""a" to "b""#) == true)
    let short = try Self.plan(stages: [.shadow, .cutover, .drain, .removed])
    let gone = await failure { try await engagement.startMigration(short) }
    #expect(gone?.code == .conflict && gone?.message.contains("canary 5 %") == true)
    let longer = try Self.plan(
      stages: [.canary(percent: 5), .ramp(percent: 20), .cutover, .drain, .removed])
    try await engagement.startMigration(longer)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.stage == .canary(percent: 5) && status.next == .ramp(percent: 20))
    try await stage.end()
  }
}

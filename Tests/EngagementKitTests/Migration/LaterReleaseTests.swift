import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

/// What a later release has stored of migrations and routes, and this one cannot read.
@Suite("migrations of a later release", .timeLimit(.minutes(20))) struct LaterReleaseTests {
  private let place = Stage.Place()
  private static let key = MigrationRecord.key(of: .push)

  /// What a later release may have changed in a record.
  enum Change: String, CaseIterable {
    case stage, plan, step, gate, former
  }

  private static func changed(_ json: JSON, _ change: Change) -> JSON {
    var object = json.object ?? [:]
    switch change {
    case .stage: object["stage"] = ["resting": 3]
    case .plan:
      var plan = object["plan"]?.object ?? [:]
      plan["speed"] = "slow"
      object["plan"] = .object(plan)
    case .step:
      object["steps"] = [["from": "off", "to": "resting", "date": "2026-11-28T00:00:00Z"]]
    case .gate:
      object["steps"] = [
        [
          "from": "off", "to": "cutover", "date": "2026-11-28T00:00:00Z",
          "gates": [["figure": "mood", "limit": 1, "holds": true]],
        ]
      ]
    case .former: object["former"] = ["sometimes": "a"]
    }
    return .object(object)
  }

  private func stage() async throws -> Stage {
    let stage = try await Stage(
      PushRouteTests.vendors, routes: PushRouteTests.routes(.only("a")), at: place)
    try await stage.signIn("u-1", consent: .full)
    return stage
  }

  private static func plan(_ surfaces: [Engagement.Surface]) throws -> MigrationPlan {
    try MigrationPlan(
      from: "a", to: "b",
      moves: surfaces.map { .init($0, stages: [.cutover, .drain, .removed]) },
      gates: [.off: [:], .cutover: [:], .drain: [:]])
  }

  private func kept(_ stage: Stage) async throws -> String? {
    try await stage.memory(of: KitState.owner, for: "u-1").values[.installation, Self.key]
  }

  private func keep(_ json: JSON, _ name: String, in stage: Stage) async throws {
    let dependencies = stage.engagement.dependencies
    try await KitState(dependencies).keep(
      [name: json], .installation, in: dependencies.currentUser.userSession.partition)
  }

  @Test("X15: a migration of a later release is told, and left alone", arguments: Change.allCases)
  func untouched(change: Change) async throws {
    let first = try await stage()
    try await first.engagement.startMigration(try Self.plan([.push]))
    try await first.engagement.advanceMigration(of: .push)
    let stored = try #require(
      try await first.memory(of: KitState.owner, for: "u-1").json(.installation, Self.key))
    try await keep(Self.changed(stored, change), Self.key, in: first)
    let text = try await kept(first)
    try await first.end()

    let stage = try await stage()
    let engagement = stage.engagement
    let warnings = stage.lines.all.filter { $0.level == .warning && $0.message.contains("push") }
    #expect(warnings.count == 1 && warnings[0].message.contains("later release"))
    #expect(
      try await engagement.unreadableMigrations() == [
        .push: "A later release has stored the migration of push, and this one cannot read it."
      ])
    #expect(try await engagement.migrations().isEmpty)
    let calls: [() async throws -> Void] = [
      { try await engagement.startMigration(try Self.plan([.push])) },
      { try await engagement.startMigration(try Self.plan([.cards, .push])) },
      { _ = try await engagement.routes(of: try Self.plan([.push])) },
      { try await engagement.advanceMigration(of: .push) },
      { try await engagement.takeBackMigration(of: .push) },
      { try await engagement.setRoute(.only("a"), for: .push) },
      { try await engagement.resetRoute(for: .push) },
    ]
    for call in calls {
      let error = await #expect(throws: EngagementError.self) { try await call() }
      #expect(error?.code == .conflict && error?.message.contains("later release") == true)
    }
    try await engagement.reviewMigrations()
    #expect(try await kept(stage) == text)
    #expect(engagement.routes.push == .only("b"))
    // Another surface may move.
    try await engagement.startMigration(try Self.plan([.cards]))
    #expect(try await engagement.migrations().map(\.surface) == [.cards])
    // The person may forget it.
    try await engagement.forgetMigration(of: .push)
    #expect(try await engagement.unreadableMigrations().isEmpty)
    #expect(engagement.routes.push == .only("a"))
    try await engagement.startMigration(try Self.plan([.push]))
    try await stage.end()
  }

  // MARK: Damage

  /// What may have become of a record, and what is told of it.
  enum Damage: String, CaseIterable {
    case row, text, contents

    var reason: String {
      switch self {
      case .row: "The stored migration of push is lost with a damaged row."
      case .text: "The stored migration of push is damaged: it is no JSON."
      case .contents: "The stored migration of push is damaged: its seal does not hold."
      }
    }
  }

  private func damage(_ stage: Stage, _ damage: Damage) async throws {
    let stored = try #require(
      try await stage.memory(of: KitState.owner, for: "u-1").json(.installation, Self.key)?.object)
    switch damage {
    case .row: return
    case .text:
      let dependencies = stage.engagement.dependencies
      _ = try await dependencies.store.commit(
        [.keep(.installation, Self.key, "{")], from: KitState.owner,
        in: dependencies.currentUser.userSession.partition, at: stage.clock.now)
    case .contents:
      var object = stored
      object["count"] = 7
      try await keep(.object(object), Self.key, in: stage)
    }
  }

  @Test(
    "X15 G9: a damaged migration is told with the reason, and can be forgotten",
    arguments: Damage.allCases)
  func damaged(damage: Damage) async throws {
    let first = try await stage()
    try await first.engagement.startMigration(try Self.plan([.push]))
    try await first.engagement.advanceMigration(of: .push)
    try await self.damage(first, damage)
    try await first.end()
    if damage == .row {
      var bytes = try Stage.bytes(at: place.path)
      let found = bytes.ranges(of: Array(#"migration.push{"plan""#.utf8))
      for range in found { bytes[range.lowerBound + 20] ^= 1 }
      #expect(!found.isEmpty)
      try Stage.write(bytes, to: place.path)
    }
    let stage = try await stage()
    let engagement = stage.engagement
    #expect(try await engagement.unreadableMigrations() == [.push: damage.reason])
    #expect(stage.lines.all.contains { $0.message.contains(damage.reason) })
    let error = await failure { try await engagement.advanceMigration(of: .push) }
    #expect(error?.code == .conflict && error?.message.hasPrefix(damage.reason) == true)
    #expect(error?.message.contains("no release can read it") == true)
    #expect(error?.message.contains("use the release") == false)
    #expect(engagement.routes.push == .only("b"))
    try await engagement.forgetMigration(of: .push)
    #expect(engagement.routes.push == .only("a"))
    #expect(try await engagement.unreadableMigrations().isEmpty)
    try await engagement.startMigration(try Self.plan([.push]))
    try await engagement.advanceMigration(of: .push)
    #expect(try await engagement.migrations().first?.stage == .cutover)
    try await stage.end()
  }

  @Test("X15 G9: no surface moves behind one whose migration cannot be read, and no plan hides it")
  func behind() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan([.cards, .push]))
    try await engagement.advanceMigration(of: .cards)
    let key = MigrationRecord.key(of: .cards)
    let stored = try await stage.memory(of: KitState.owner, for: "u-1").json(.installation, key)
    try await keep(Self.changed(try #require(stored), .stage), key, in: stage)
    let step = await failure { try await engagement.advanceMigration(of: .push) }
    let reason = "A later release has stored the migration of cards, and this one cannot read it."
    let words = step?.message ?? ""
    #expect(step?.code == .conflict)
    #expect(words.hasPrefix("cards comes before push in the plan. \(reason)"), "\(words)")
    let status = try #require(try await engagement.migrations().first)
    #expect(status.surface == .push && status.obstacle == words && status.stage == .off)
    for surfaces in [[Engagement.Surface.cards], nil] {
      let plan = await failure {
        try await engagement.proposeMigration(from: "a", to: "b", surfaces: surfaces)
      }
      #expect(plan?.code == .conflict && plan?.message.hasPrefix(reason) == true)
    }
    try await stage.end()
  }

  @Test("X2 G9: a stored route that is no JSON is told as damaged, and the configured one holds")
  func damagedRoute() async throws {
    let first = try await stage()
    try await first.engagement.setRoute(.only("b"), for: .cards)
    let dependencies = first.engagement.dependencies
    _ = try await dependencies.store.commit(
      [.keep(.installation, RoutePlace.surface(.templates).key, "{")], from: KitState.owner,
      in: dependencies.currentUser.userSession.partition, at: first.clock.now)
    try await first.end()
    let stage = try await stage()
    let sentence =
      "The route of templates that was set earlier is damaged; the configured one holds."
    #expect(stage.lines.all.map(\.message).contains(sentence))
    try await stage.end()
  }

  @Test("X15: a migration of cards that cannot be read keeps what was done to contents")
  func retention() async throws {
    let stage = try await stage()
    let memory = { try await stage.memory(of: KitState.owner, for: "u-1") }
    try await stage.engagement.startMigration(try Self.plan([.cards]))
    let key = MigrationRecord.key(of: .cards)
    let stored = try #require(try await memory().json(.installation, key))
    try await keep(Self.changed(stored, .stage), key, in: stage)
    let before = try await memory().values.all(.installation)
      .filter { $0.key != MigrationRecord.key(of: .push) }
    try await stage.engagement.startMigration(try Self.plan([.push]))
    try await stage.engagement.forgetMigration(of: .push)
    let after = try await memory().values.all(.installation)
    for (name, value) in before { #expect(after.first { $0.key == name }?.value == value) }
    try await stage.end()
  }

  @Test("X2: a route of a later release is told once, and the configured one holds")
  func route() async throws {
    let first = try await stage()
    try await keep(["sometimes": ["a", "b"]], RoutePlace.surface(.push).key, in: first)
    try await first.end()
    for count in [1, 0] {
      let stage = try await stage()
      #expect(stage.engagement.routes.push == .only("a"))
      #expect(stage.lines.all.count { $0.message.contains("the route of push") } == count)
      try await stage.end()
    }
  }
}

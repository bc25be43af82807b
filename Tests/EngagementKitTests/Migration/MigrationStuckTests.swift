import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// Migrations that have lost a provider, and steps that are asked for twice.
@Suite("migrations that cannot go on", .timeLimit(.minutes(20))) struct MigrationStuckTests {
  private let place = Stage.Place()
  private let lists = VendorLists()

  private static let stages: [MigrationStage] = [
    .shadow, .canary(percent: 5), .cutover, .drain, .removed,
  ]

  private static func plan(
    to: ProviderID = "b", stages: [MigrationStage] = stages
  ) throws -> MigrationPlan {
    try MigrationPlan(
      from: "a", to: to, moves: [.init(.cards, stages: stages)],
      gates: [.off: [:], .shadow: [:], .canary: [:], .cutover: [:], .drain: [:]])
  }

  private func stage(without missing: ProviderID? = nil) async throws -> Stage {
    let lists = lists
    let route: Route = .only(missing == "a" ? "b" : "a")
    let keys: ContentKeys =
      missing == "a" ? ["b": .extra("sku"), "c": .extra("sku")] : VendorLists.keys
    let stage = try await Stage(
      VendorLists.vendors.filter { $0.provider != missing },
      routes: Routes(cards: route, inbox: .none), contentKeys: keys, at: place
    ) { lists.answer($0) }
    try await stage.signIn("u-1", consent: .full)
    return stage
  }

  // MARK: A provider is gone

  private static let sentence =
    "\"a\" is not configured any more, and cards is at canary 5 % of a move from \"a\" to \"b\": put it "
    + "back, take the migration back to off, or forget it."

  /// A move at its canary whose old provider has left the configuration.
  private func withoutOld(setting route: Route? = nil) async throws -> Stage {
    let first = try await stage()
    if let route { try await first.engagement.setRoute(route, for: .cards) }
    try await first.engagement.startMigration(try Self.plan())
    try await first.engagement.advanceMigration(of: .cards)
    try await first.engagement.advanceMigration(of: .cards)
    try await first.end()
    return try await stage(without: "a")
  }

  @Test("X15: a step without the old provider is refused in one sentence, and nothing changes")
  func vanished() async throws {
    let stage = try await withoutOld()
    let engagement = stage.engagement
    let status = try #require(try await engagement.migrations().first)
    #expect(status.obstacle == Self.sentence && !status.mayAdvance)
    let steps: [() async throws -> Void] = [
      { try await engagement.advanceMigration(of: .cards) },
      { try await engagement.advanceMigration(of: .cards, why: "a test", isForced: true) },
      { try await engagement.takeBackMigration(of: .cards, to: .shadow) },
    ]
    for step in steps {
      let error = await failure { try await step() }
      #expect(error?.code == .invalidConfiguration && error?.message == Self.sentence)
    }
    let after = try #require(try await engagement.migrations().first)
    #expect(after.stage == .canary(percent: 5) && after.steps.count == 2)
    #expect(engagement.routes.cards == .only("b"))
    try await stage.end()
  }

  @Test(
    "X15: without the old provider a surface goes back to off, where the configured route holds",
    arguments: [false, true])
  func vanishedOff(isSet: Bool) async throws {
    let stage = try await withoutOld(setting: isSet ? .merge(["c", "a"]) : nil)
    let engagement = stage.engagement
    try await engagement.takeBackMigration(of: .cards, to: .off)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.stage == .off && status.refusal == nil)
    #expect(status.obstacle?.hasSuffix("put it back, or forget the migration.") == true)
    #expect(engagement.routes.cards == .only("b"))
    try await engagement.forgetMigration(of: .cards)
    try await stage.end()
  }

  @Test("X15: a migration without its old provider is forgotten, and the configured route holds")
  func vanishedForgotten() async throws {
    let stage = try await withoutOld(setting: .merge(["c", "a"]))
    let engagement = stage.engagement
    try await engagement.forgetMigration(of: .cards)
    #expect(try await engagement.migrations().isEmpty)
    #expect(engagement.routes.cards == .only("b"))
    try await engagement.setRoute(.only("c"), for: .cards)
    try await stage.end()
  }

  @Test("X15: a plan that moves by itself waits while a provider is gone")
  func vanishedAutomatic() async throws {
    let first = try await stage()
    try await first.engagement.startMigration(
      try MigrationPlan(
        from: "a", to: "b", moves: [.init(.cards, stages: Self.stages)],
        gates: [.off: [:], .shadow: [.comparisons: 9]], takesBack: true, isAutomatic: true))
    try await first.engagement.reviewMigrations()
    try await first.end()
    let stage = try await stage(without: "a")
    let status = try #require(try await stage.engagement.reviewMigrations().first)
    #expect(status.stage == .shadow && status.obstacle?.contains("is not configured") == true)
    try await stage.end()
  }

  // MARK: Steps to a stage

  @Test("X15: a step to a stage that is named is made once, and none is made where another is next")
  func named() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.startMigration(try Self.plan())
    for _ in 0..<2 { try await engagement.advanceMigration(of: .cards, to: .shadow) }
    let start = "cards is at shadow, and the next stage is canary 5 %, not "
    let refused: [(MigrationStage, EngagementError.Code, String)] = [
      (.cutover, .conflict, start + "cutover: move it to canary 5 % first."),
      (.off, .conflict, start + "off: take it back if you mean that, or move it to canary 5 %."),
      (.ramp(percent: 50), .invalidArgument, "The plan has no stage ramp 50 % of cards; write one"),
    ]
    for (stage, code, words) in refused {
      let error = await failure {
        try await engagement.advanceMigration(of: .cards, to: stage, why: "a test", isForced: true)
      }
      #expect(error?.code == code && error?.message.hasPrefix(words) == true, "\(words)")
    }
    let status = try #require(try await engagement.migrations().first)
    #expect(status.stage == .shadow && status.steps.count == 1)
    try await stage.end()
  }

  @Test("X15: two engagements that step to one stage at once make one step, and neither fails")
  func namedTwice() async throws {
    let stage = try await stage()
    let other = try await self.stage()
    try await stage.engagement.startMigration(try Self.plan())
    for target in Self.stages.prefix(3) {
      async let one = failure {
        try await stage.engagement.advanceMigration(of: .cards, to: target)
      }
      async let two = failure {
        try await other.engagement.advanceMigration(of: .cards, to: target)
      }
      let errors = await [one, two]
      #expect(errors.compactMap(\.self).isEmpty, "\(errors)")
    }
    let status = try #require(try await stage.engagement.migrations().first)
    #expect(status.stage == .cutover && status.steps.count == 3)
    try await other.end()
    try await stage.end()
  }

  // MARK: Plans

  @Test("X15: a plan can be checked against those under way, and nothing is kept")
  func checked() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.checkMigration(try Self.plan())
    #expect(try await engagement.migrations().isEmpty)
    try await engagement.startMigration(try Self.plan())
    try await engagement.advanceMigration(of: .cards)
    for plan in [
      try Self.plan(to: "c"), try Self.plan(stages: [.cutover, .drain, .removed]),
    ] {
      let checked = await failure { try await engagement.checkMigration(plan) }
      let started = await failure { try await engagement.startMigration(plan) }
      #expect(checked?.code == .conflict && checked?.message == started?.message)
    }
    try await engagement.checkMigration(try Self.plan())
    try await stage.end()
  }
}

import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("gates of a migration", .timeLimit(.minutes(20))) struct MigrationGateTests {
  private typealias Figure = Engagement.MigrationFigure

  private let place = Stage.Place()
  private let lists = VendorLists()

  private static func plan(
    _ stages: [MigrationStage] = [.shadow, .cutover, .drain, .removed],
    gates: [MigrationStage.Kind: [Figure: Double]] = [:], drainsUntil: Date? = nil,
    takesBack: Bool = false, isAutomatic: Bool = false
  ) throws -> MigrationPlan {
    try MigrationPlan(
      from: "a", to: "b", moves: [.init(.cards, stages: stages)], gates: gates,
      drainsUntil: drainsUntil, takesBack: takesBack, isAutomatic: isAutomatic)
  }

  private func stage(_ plan: MigrationPlan) async throws -> Stage {
    let lists = lists
    let stage = try await Stage(
      VendorLists.vendors, routes: Routes(cards: .only("a"), inbox: .only("a")),
      contentKeys: VendorLists.keys, at: place
    ) { lists.answer($0) }
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.startMigration(plan)
    return stage
  }

  private func refresh(_ stage: Stage, times: Int = 1) async throws {
    for _ in 0..<times {
      _ = await stage.engagement.refresh(.cards(in: "home"))
      try await stage.engagement.compareShadows()
      stage.clock.advance(by: .seconds(61))
    }
  }

  private func stageNow(_ stage: Stage) async throws -> MigrationStage? {
    try await stage.engagement.migrations().first?.stage
  }

  private func refusal(_ stage: Stage) async -> String? {
    let error = await failure { try await stage.engagement.advanceMigration(of: .cards) }
    return error?.code == .conflict ? error?.message : nil
  }

  @Test(
    "X15: without samples a step is refused, with how many are missing; a forced one needs a reason"
  )
  func samples() async throws {
    let stage = try await stage(try Self.plan())
    let engagement = stage.engagement
    await stage.drain("b")
    try await engagement.advanceMigration(of: .cards)
    #expect(await refusal(stage)?.contains("comparisons is 0, and at least 3 is wanted") == true)
    let bare = await failure {
      try await engagement.advanceMigration(of: .cards, isForced: true)
    }
    #expect(bare?.code == .invalidArgument)
    #expect(try await stageNow(stage) == .shadow)
    try await engagement.advanceMigration(of: .cards, by: "eva", why: "known", isForced: true)
    let step = try #require(
      try await engagement.events().last { $0.kind == .migrationStepped }?.properties)
    #expect(step["forced"] == true && step["why"] == "known")
    let gates = (step["gates"]?.array ?? []).compactMap(\.object)
    let comparisons = gates.first { $0["figure"] == .string("comparisons") }
    #expect(comparisons?["value"] == .integer(0))
    try await stage.end()
  }

  @Test("X15: a shadow with mismatches stays; without them it moves on")
  func mismatches() async throws {
    lists.set(#"["1.k","2.l"]"#, at: "a")
    lists.set(#"["7.k"]"#, at: "b")
    let stage = try await stage(try Self.plan())
    await stage.drain("b")
    try await stage.engagement.advanceMigration(of: .cards)
    try await refresh(stage, times: 3)
    #expect(await refusal(stage)?.contains("mismatches is 50.0 %") == true)
    lists.set(#"["7.k","8.l"]"#, at: "b")
    try await refresh(stage)
    try await stage.engagement.advanceMigration(of: .cards)
    #expect(try await stageNow(stage) == .cutover)
    try await stage.end()
  }

  @Test("X15: an old report, one of before the stage, and one of the future open no gate")
  func oldReports() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["7.k"]"#, at: "b")
    let stage = try await stage(try Self.plan())
    let engagement = stage.engagement
    await stage.drain("b")
    try await engagement.advanceMigration(of: .cards)
    try await refresh(stage, times: 3)
    stage.clock.advance(by: .seconds(4_000))
    #expect(await refusal(stage)?.contains("parityAge") == true)
    try await refresh(stage)
    // Set back by a year: nothing is known of a comparison of the future.
    stage.clock.set(to: stage.clock.now.addingTimeInterval(-365 * 86_400))
    #expect(await refusal(stage) != nil)
    stage.clock.set(to: stage.clock.now.addingTimeInterval(365 * 86_400))
    try await engagement.takeBackMigration(of: .cards, to: .off)
    try await engagement.advanceMigration(of: .cards)
    #expect(await refusal(stage)?.contains("comparisons is 0") == true)
    try await stage.end()
  }

  @Test("X15: a shadow that cannot be read since is no parity")
  func failedReading() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["7.k"]"#, at: "b")
    let stage = try await stage(try Self.plan())
    await stage.drain("b")
    try await stage.engagement.advanceMigration(of: .cards)
    try await refresh(stage, times: 3)
    lists.fail("b")
    try await refresh(stage)
    #expect(await refusal(stage)?.contains("mismatches is not known yet") == true)
    try await stage.end()
  }

  @Test("X15: errors at the new vendor take people back by themselves where the plan says so")
  func errors() async throws {
    let gates: [MigrationStage.Kind: [Figure: Double]] = [
      .off: [:], .shadow: [:], .cutover: [.requests: 5, .errors: 0.1],
    ]
    let stage = try await stage(try Self.plan(gates: gates, takesBack: true))
    let engagement = stage.engagement
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["7.k"]"#, at: "b")
    try await refresh(stage, times: 2)
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    try await refresh(stage, times: 4)
    _ = try await engagement.reviewMigrations()
    #expect(try await stageNow(stage) == .cutover)
    lists.fail("b")
    try await refresh(stage, times: 3)
    let status = try #require(try await engagement.reviewMigrations().first)
    #expect(status.stage == .shadow)
    #expect(status.steps.last?.why?.hasPrefix("errors is ") == true && status.steps.last?.by == nil)
    #expect(engagement.cards(in: "home").cards.map(\.id) == [ItemID("a", "1.k")])
    try await stage.end()
  }

  @Test("X15: an automatic plan moves on when its gates hold, and never removes the old vendor")
  func automatic() async throws {
    let gates: [MigrationStage.Kind: [Figure: Double]] = [
      .shadow: [.comparisons: 1, .mismatches: 0], .cutover: [.requests: 2], .drain: [.pending: 0],
    ]
    let stage = try await stage(try Self.plan(gates: gates, isAutomatic: true))
    lists.set(#"["1.k"]"#, at: "a")
    lists.set(#"["7.k"]"#, at: "b")
    await stage.drain("a", "b")
    var seen: [String] = []
    for _ in 0..<8 {
      try await refresh(stage)
      let now = try #require(try await stage.engagement.reviewMigrations().first?.stage.words)
      if seen.last != now { seen.append(now) }
    }
    #expect(seen == ["shadow", "cutover", "drain"])
    // A clock that jumps steps nothing.
    stage.clock.set(to: stage.clock.now.addingTimeInterval(10 * 365 * 86_400))
    _ = try await stage.engagement.reviewMigrations()
    #expect(try await stageNow(stage) == .drain)
    try await stage.end()
  }

  @Test("X15: drain waits for what is pending for the old vendor, or for its date")
  func drain() async throws {
    lists.set(#"["1.k"]"#, at: "a")
    let open: [MigrationStage.Kind: [Figure: Double]] = [.off: [:], .cutover: [:]]
    let stage = try await stage(try Self.plan([.cutover, .drain, .removed], gates: open))
    let engagement = stage.engagement
    try await refresh(stage)
    await stage.drain("a", "b")
    try await engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    #expect(await refusal(stage)?.contains("pending is 1") == true)
    #expect(try await engagement.migrations().first?.left == 1)
    try await engagement.startMigration(
      try Self.plan([.cutover, .drain, .removed], gates: open, drainsUntil: stage.clock.now))
    try await engagement.advanceMigration(of: .cards)
    #expect(try await stageNow(stage) == .removed)
    // It is still sent.
    await stage.drain("a")
    #expect(try await stage.waiting(for: "a", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test("X15: after it went back by itself, an automatic plan waits for somebody")
  func noReturn() async throws {
    let gates: [MigrationStage.Kind: [Figure: Double]] = [
      .off: [:], .cutover: [.requests: 2, .errors: 0.1],
    ]
    let stage = try await stage(
      try Self.plan([.cutover, .drain, .removed], gates: gates, takesBack: true, isAutomatic: true))
    let engagement = stage.engagement
    lists.set(#"["1.k"]"#, at: "a")
    try await refresh(stage)
    _ = try await engagement.reviewMigrations()
    #expect(try await stageNow(stage) == .cutover)
    lists.fail("b")
    try await refresh(stage, times: 3)
    _ = try await engagement.reviewMigrations()
    #expect(try await stageNow(stage) == .off)
    try await refresh(stage, times: 3)
    _ = try await engagement.reviewMigrations()
    #expect(try await stageNow(stage) == .off)
    try await engagement.advanceMigration(of: .cards)
    #expect(try await stageNow(stage) == .cutover)
    try await stage.end()
  }
}

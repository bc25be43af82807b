import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// What keeps a surface back that is none of the new provider's figures.
@Suite("what keeps a migration back", .timeLimit(.minutes(20))) struct MigrationHeldOutTests {
  private typealias Figure = Engagement.MigrationFigure

  private let lists = VendorLists()

  private func stage(
    _ stages: [MigrationStage], gates: [MigrationStage.Kind: [Figure: Double]] = [:]
  ) async throws -> Stage {
    let lists = lists
    let stage = try await Stage(
      VendorLists.vendors, routes: Routes(cards: .only("a"), inbox: .only("a")),
      contentKeys: VendorLists.keys
    ) { lists.answer($0) }
    try await stage.signIn("u-1", consent: .full)
    await stage.drain("a", "b")
    try await stage.engagement.startMigration(
      try MigrationPlan(from: "a", to: "b", moves: [.init(.cards, stages: stages)], gates: gates))
    return stage
  }

  private func refusal(
    _ stage: Stage, _ figures: Engagement.MeasuredFigures? = nil
  ) async -> String? {
    let error = await failure {
      try await stage.engagement.advanceMigration(of: .cards, figures: figures)
    }
    return error?.code == .conflict ? error?.message : nil
  }

  // MARK: Figures of many installations

  private static let measured: [Figure: Double] = [
    .requests: 900, .errors: 0.01, .latency: 1.5, .undelivered: 0, .duplicates: 0,
  ]

  @Test("X15: a person who is held out is named as that, and figures of a ledger move on")
  func heldOut() async throws {
    let stage = try await stage([.canary(percent: 5), .cutover, .drain, .removed])
    let engagement = stage.engagement
    try await engagement.advanceMigration(of: .cards)
    for _ in 0..<6 { _ = await engagement.refresh(.cards(in: "home")) }
    let status = try #require(try await engagement.migrations().first)
    #expect(status.isHeldOut && !status.mayAdvance)
    #expect(status.gates.first { $0.figure == .requests }?.value == 0)
    #expect(await refusal(stage)?.contains("is held out at canary 5 %") == true)
    var lacking = Self.measured
    lacking[.latency] = nil
    let words = await refusal(
      stage, try Engagement.MeasuredFigures(source: "all.parquet", values: lacking))
    #expect(words?.contains("latency of all.parquet is not known yet") == true, "\(words ?? "")")
    #expect(words?.contains("held out") == false)
    try await engagement.advanceMigration(
      of: .cards,
      figures: try Engagement.MeasuredFigures(source: "all.parquet", values: Self.measured))
    let after = try #require(try await engagement.migrations().first)
    #expect(after.stage == .cutover && !after.isHeldOut)
    let gates = try #require(after.steps.last?.gates)
    #expect(gates.first { $0.figure == .requests }?.source == "all.parquet")
    #expect(gates.first { $0.figure == .untold }?.source == nil)
    let event = try await engagement.events().last { $0.kind == .migrationStepped }
    let told = (event?.properties["gates"]?.array ?? []).compactMap { $0["source"]?.string }
    #expect(Set(told) == ["all.parquet", "installation"])
    try await stage.end()
  }

  @Test("X15: no figure can be handed over that no ledger has")
  func foreignFigures() {
    for figure in Figure.allCases where !figure.isInLedger {
      let error = #expect(throws: EngagementError.self) {
        try Engagement.MeasuredFigures(source: "all", values: [figure: 0])
      }
      #expect(error?.code == .invalidArgument && error?.message.contains(figure.rawValue) == true)
    }
  }

  // MARK: Drain

  @Test("X15: at drain it is told what other people left, what ends that, and what consent holds")
  func others() async throws {
    let open: [MigrationStage.Kind: [Figure: Double]] = [.off: [:], .cutover: [:]]
    let stage = try await stage([.cutover, .drain, .removed], gates: open)
    let engagement = stage.engagement
    lists.set(#"["1.k","2.l"]"#, at: "a")
    _ = await engagement.refresh(.cards(in: "home"))
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    lists.fail("a")
    try await engagement.perform(.dismiss, on: ItemID("a", "1.k"))
    try await stage.signIn("u-2", consent: .full)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.leftOfOthers == 1 && status.withheld == 0, "\(status.left)")
    let words = await refusal(stage)
    #expect(words?.contains("belongs to people who are not signed in") == true, "\(words ?? "")")
    #expect(words?.contains("drainsUntil") == true)
    lists.fail("a", false)
    stage.clock.advance(by: .seconds(600))
    await stage.drain("a")
    try await stage.signIn("u-1", consent: .denied)
    // The opt-out is sent, and the action is not.
    for _ in 0..<3 {
      await stage.drain("a")
      stage.clock.advance(by: .seconds(6))
    }
    let denied = try #require(try await engagement.migrations().first)
    #expect(denied.withheld == 1 && denied.leftOfOthers == 0 && denied.left == 0)
    let rows = try await stage.waiting(for: "a", of: "u-1")
    #expect(rows.count == 1, "\(rows)")
    // Only what consent withholds is left.
    try await engagement.advanceMigration(of: .cards)
    #expect(try await engagement.migrations().first?.stage == .removed)
    try await stage.end()
  }

  @Test("X15: what consent forbids to tell the new provider is no gate, and is told apart")
  func withheld() async throws {
    let stage = try await stage([.cutover, .drain, .removed])
    let engagement = stage.engagement
    try await engagement.setConsent(.denied)
    await stage.drain("a", "b")
    try await engagement.setRoute(.mirror(["a"]), for: .person)
    try await engagement.setRoute(.mirror(["a", "b"]), for: .person)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.gates.first { $0.figure == .untold }?.value == 0 && status.withheld == 1)
    try await engagement.advanceMigration(of: .cards)
    try await stage.end()
  }

  @Test("X15: sessions of the anonymous user keep no drain open, and its other actions are told")
  func anonymous() async throws {
    let open: [MigrationStage.Kind: [Figure: Double]] = [.off: [:], .cutover: [:]]
    let stage = try await stage([.cutover, .drain, .removed], gates: open)
    let engagement = stage.engagement
    let dependencies = engagement.dependencies
    let partition = try await dependencies.store.partition(of: .anonymous, at: stage.clock.now)
    try await dependencies.store.setConsent(.full, of: partition)
    let events = [EngagementEvent.Kind.sessionStart, .sessionEnd].map { dependencies.event($0) }
    try await dependencies.accept(
      events.map { event in
        Intent(
          event: event, deliveries: [.init(to: "a", .event(event), key: dependencies.key())])
      }, in: partition)
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    #expect(try await stage.waiting(for: "a", of: .anonymous).count == 2)
    let quiet = try #require(try await engagement.migrations().first)
    #expect(quiet.left == 0 && quiet.mayAdvance && quiet.waitingSentences.isEmpty, "\(quiet)")
    try await dependencies.accept(
      [Intent(deliveries: [.init(to: "a", .operation(.person), key: dependencies.key())])],
      in: partition)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.left == 1 && status.leftOfAnonymous == 1 && status.leftOfOthers == 0)
    let words = await refusal(stage) ?? ""
    #expect(
      words.contains("1 of the pending actions belongs to the anonymous user: sign out to send or"),
      "\(words)")
    #expect(!words.contains("people who are not signed in here"), "\(words)")
    try await stage.end()
  }

  // MARK: Back

  @Test("X15: `every` of a migration's shadow does not hold for a shadow that comes after it")
  func interval() async throws {
    let stage = try await stage([.shadow, .cutover, .drain, .removed])
    let engagement = stage.engagement
    func compare() async throws -> Int {
      _ = await engagement.refresh(.cards(in: "home"))
      return try await engagement.compareShadows().map(\.comparisons).max() ?? 0
    }
    try await engagement.advanceMigration(of: .cards)
    #expect(try await compare() == 1)
    stage.clock.advance(by: .seconds(5))
    try await engagement.takeBackMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    #expect(try await compare() == 1)
    try await engagement.takeBackMigration(of: .cards)
    try await engagement.setRoute(
      .shadow(.only("a"), try Engagement.Shadow(["b"], every: .seconds(3_600))), for: .cards)
    #expect(try await compare() == 2)
    try await stage.end()
  }
}

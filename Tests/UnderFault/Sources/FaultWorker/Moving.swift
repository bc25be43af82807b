import EngagementKit
import EngagementModel

/// Moves the cards from one vendor to the other, stage by stage and back.
struct Moving {
  let application: Application

  private static let old: ProviderID = "braze"
  private static let surface = Engagement.Surface.cards

  private var engagement: Engagement { application.engagement }

  private func status() async throws(EngagementError) -> Engagement.MigrationStatus? {
    try await engagement.migrations().first { $0.surface == Self.surface }
  }

  /// The stage that the cache has kept.
  func stage() async throws(EngagementError) -> Engagement.MigrationStage {
    try await status()?.stage ?? .off
  }

  /// Prints the stage that the cache has kept.
  func sayStage() async {
    do throws(EngagementError) {
      say("stage found \(Self.name(of: try await stage()))")
    } catch {
      say("finding the stage is not known: \(error.code)")
    }
  }

  /// Plans the move, if none is under way.
  func plan() async throws(EngagementError) {
    guard try await stage() == .off else { return }
    try await application.setRoute(Self.old.rawValue, .only(Self.old))
    let plan = try await engagement.proposeMigration(
      from: Self.old, to: Application.liveProvider, surfaces: [Self.surface], shares: [40, 70])
    try await engagement.startMigration(plan)
  }

  /// Makes one step, mostly forwards.
  func step(_ random: inout Randomness) async throws(EngagementError) {
    guard let status = try await status() else { return }
    let stages = [.off] + status.plan.moves.flatMap(\.stages)
    let earlier = stages.prefix { $0 != status.stage }
    let isLast = status.next == nil || status.next == .removed
    if let target = earlier.randomElement(using: &random),
      isLast || Int.random(in: 0..<3, using: &random) == 0
    {
      try await goBack(to: target)
    } else if let next = status.next {
      try await changing(to: next) { () async throws(EngagementError) in
        try await engagement.advanceMigration(
          of: Self.surface, by: "worker", why: "the test goes on", isForced: true)
      }
    }
  }

  /// Takes the move back, and shows all cards again.
  func end() async throws(EngagementError) {
    if try await stage() != .off { try await goBack(to: .off) }
    try await application.showAllCards()
  }

  private func goBack(to stage: Engagement.MigrationStage) async throws(EngagementError) {
    try await changing(to: stage) { () async throws(EngagementError) in
      try await engagement.takeBackMigration(of: Self.surface, to: stage, by: "worker")
    }
  }

  private func changing(
    to stage: Engagement.MigrationStage, _ step: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    let name = Self.name(of: stage)
    say("stage try \(name)")
    try await step()
    say("stage set \(name)")
    application.sayShown()
  }

  /// As the driver knows it.
  private static func name(of stage: Engagement.MigrationStage) -> String {
    "\(stage.kind.rawValue)-\(stage.percent)"
  }
}

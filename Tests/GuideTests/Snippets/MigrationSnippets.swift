import EngagementKit
import EngagementModel

func planMigration(_ engagement: Engagement) async throws {
  let plan = try await engagement.proposeMigration(
    from: "braze", to: "vibes", surfaces: [.inbox, .push], takesBack: true)
  for planned in try await engagement.routes(of: plan) {
    print(planned.surface, planned.stage.words, planned.route?.json ?? "every provider")
  }
  try await engagement.startMigration(plan)
}

func seeWhatIsConcerned(_ engagement: Engagement) async throws {
  for holding in try await engagement.migrationHoldings(from: "braze", to: "vibes") {
    print(holding.surface, holding.held ?? 0, holding.shownOnce, holding.hidden)
    for lost in holding.lostActions { print(lost.action, lost.items, lost.isKept) }
  }
}

func decideByMany(_ engagement: Engagement) async throws {
  let figures = try Engagement.MeasuredFigures(
    source: "team, 2026-11-28",
    values: [.requests: 12_000, .errors: 0.004, .latency: 1.1, .undelivered: 0, .duplicates: 0])
  try await engagement.advanceMigration(of: .inbox, by: "eva", figures: figures)
}

func stepMigration(_ engagement: Engagement) async throws {
  try await engagement.advanceMigration(of: .inbox, by: "eva")
  for status in try await engagement.migrations() {
    print(status.surface, status.stage.words, status.mayAdvance, status.left)
    for gate in status.gates where !gate.holds { print(gate.sentence) }
  }
  try await engagement.takeBackMigration(of: .inbox, to: .off, why: "cards are missing")
}

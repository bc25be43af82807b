import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("plans of a migration") struct MigrationPlanTests {
  private static let document = """
    {"from": "a", "to": "b", "surfaces": [
      {"surface": "cards", "stages": ["shadow", {"canary": 5}, {"ramp": 25}, "cutover", "drain",
        "removed"]},
      {"surface": "push", "stages": ["cutover", "drain", "removed"]}],
     "gates": {"shadow": {"parityAge": "2h", "mismatches": 0.01}, "drain": {"pending": 3}},
     "takesBack": true, "drainsUntil": "2027-01-02T00:00:00Z"}
    """

  private static func plan(_ text: String) throws -> MigrationPlan {
    try MigrationPlan(json: try JSON(parsing: Array(text.utf8)))
  }

  @Test("X15: a plan is read from its document, and written as one that reads the same")
  func document() throws {
    let plan = try Self.plan(Self.document)
    #expect(plan.moves.map(\.surface) == [.cards, .push])
    #expect(plan.moves[0].stages[2] == .ramp(percent: 25))
    #expect(plan.gates[.shadow]?[.parityAge] == 7_200 && plan.takesBack && !plan.isAutomatic)
    #expect(try MigrationPlan(json: plan.json) == plan)
  }

  @Test(
    "X15: a plan that makes no sense is refused with its place",
    arguments: [
      (#""from": "a""#, #""from": "b""#, #"from and to are both "b""#),
      (#""cards", "stages""#, #""push", "stages""#, "surfaces[0].stages[0] is shadow"),
      (#""surface": "push""#, #""surface": "cards""#, "surfaces[1] is cards again"),
      (#""surface": "push""#, #""surface": "posh""#, "push"),
      (#"{"canary": 5}"#, #"{"canary": 105}"#, "surfaces[0].stages[1] is 105 %"),
      (#"{"ramp": 25}"#, #"{"ramp": 4}"#, "4 % after 5 %"),
      (#"{"ramp": 25}, "cutover""#, #""cutover", {"ramp": 25}"#, "ramp 25 % after cutover"),
      (#""shadow", {"canary"#, #""shade", {"canary"#, #"did you mean "shadow""#),
      (#"{"canary": 5}"#, #""canary""#, "has no share"),
      (
        #""stages": ["cutover", "drain", "removed"]"#, #""stages": ["cutover", "removed"]"#,
        "surfaces[1].stages has no drain"
      ),
      (#""mismatches": 0.01"#, #""mismatch": 0.01"#, #"did you mean "mismatches""#),
      (#""mismatches": 0.01"#, #""mismatches": -1"#, "gates.shadow.mismatches is -1.0"),
      (#""mismatches": 0.01"#, #""mismatches": 50"#, "is 50; it is a share from 0 to 1: write 0.5"),
      (#""mismatches": 0.01"#, #""mismatches": "few""#, "write a share from 0 to 1, or null"),
      (#""mismatches": 0.01"#, #""pending": 1"#, "gates.shadow.pending is measured by nobody"),
      (#""parityAge": "2h""#, #""parityAge": 2"#, "parityAge is no time"),
      (#""takesBack": true"#, #""takesBack": 1"#, "takesBack is neither"),
      (#""takesBack": true"#, #""takeBack": true"#, #"did you mean "takesBack""#),
      ("2027-01-02T00:00:00Z", "soon", "drainsUntil is no date"),
    ])
  func refused(old: String, new: String, words: String) throws {
    let text = Self.document.replacingOccurrences(of: old, with: new)
    #expect(text != Self.document)
    let error = #expect(throws: EngagementError.self) { try Self.plan(text) }
    #expect(error?.code == .invalidArgument)
    let message = error?.message ?? ""
    #expect(message.contains(words), "\(message)")
  }

  @Test("X15: a planned gate changes that gate alone; null removes it, and an empty stage all")
  func gates() throws {
    let text = Self.document.replacingOccurrences(
      of: #""drain": {"pending": 3}"#,
      with: #""cutover": {"errors": 0.1, "optOuts": 0, "latency": null}, "off": {}"#)
    let plan = try Self.plan(text)
    func limits(_ stage: MigrationStage) -> [Engagement.MigrationFigure: Double] {
      Dictionary(
        plan.gates(of: stage, on: .cards).map { ($0.figure, $0.limit) }, uniquingKeysWith: { $1 })
    }
    #expect(
      limits(.cutover) == [
        .requests: 5, .errors: 0.1, .undelivered: 0.05, .duplicates: 0, .optOuts: 0, .untold: 0,
      ])
    #expect(limits(.shadow) == [.comparisons: 3, .parityAge: 7_200, .mismatches: 0.01, .untold: 0])
    #expect(limits(.off).isEmpty && limits(.drain) == [.pending: 0])
    #expect(try MigrationPlan(json: plan.json) == plan)
  }

  @Test("X15: a plan that the engagement cannot follow is refused, and nothing is kept")
  func impossible() async throws {
    let stage = try await Stage(
      VendorLists.vendors,
      routes: Routes(cards: .only("a"), inbox: .firstReady(["a", "c"]), templates: Route.none))
    let engagement = stage.engagement
    let stages: [MigrationStage] = [.canary(percent: 5), .cutover, .drain, .removed]
    func refusal(
      _ from: ProviderID, _ to: ProviderID, _ surface: Engagement.Surface
    ) async throws -> EngagementError? {
      let plan = try MigrationPlan(from: from, to: to, moves: [.init(surface, stages: stages)])
      return await failure { try await engagement.startMigration(plan) }
    }
    #expect(try await refusal("a", "d", .cards)?.message.contains(#"to names "d""#) == true)
    #expect(try await refusal("c", "b", .cards)?.message.contains("does not lead to") == true)
    #expect(try await refusal("a", "b", .inbox)?.message.contains("firstReady") == true)
    #expect(try await refusal("a", "b", .templates)?.message.contains("is none") == true)
    #expect(try await engagement.migrations().isEmpty)
    try await stage.end()
  }

  @Test("X15: a plan is proposed with shares that grow, also while the surface moves")
  func proposed() async throws {
    let stage = try await Stage(
      VendorLists.vendors, routes: Routes(cards: .only("a"), inbox: .none),
      contentKeys: VendorLists.keys)
    let engagement = stage.engagement
    for shares in [[0], [-5], [101], [5, 250], [50, 25]] {
      let error = await failure {
        try await engagement.proposeMigration(from: "a", to: "b", shares: shares)
      }
      #expect(error?.code == .invalidArgument && error?.message.hasPrefix("shares has ") == true)
    }
    let plan = try await engagement.proposeMigration(from: "a", to: "b", surfaces: [.cards])
    try await engagement.startMigration(plan)
    try await engagement.advanceMigration(of: .cards, why: "a test", isForced: true)
    #expect(engagement.routes.cards.parts.shadow != nil)
    let again = try await engagement.proposeMigration(from: "a", to: "b", surfaces: [.cards])
    #expect(again == plan)
    try await engagement.startMigration(again)
    #expect(try await engagement.migrations().first?.stage == .shadow)
    try await stage.end()
  }
}

import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementPlatform

/// What `engage migrate plan` prints: what each surface is at the two providers, and its stages.
struct PlanTables {
  private let plan: Engagement.MigrationPlan
  private let stages: [Engagement.PlannedStage]
  private let holdings: [Engagement.MigrationHolding]
  private let capabilities: Engagement.CapabilityReport

  init(
    _ plan: Engagement.MigrationPlan, _ stages: [Engagement.PlannedStage],
    _ holdings: [Engagement.MigrationHolding], _ engagement: Engagement
  ) {
    self.plan = plan
    self.stages = stages
    self.holdings = holdings
    capabilities = engagement.capabilities
  }

  func print(on console: Console) throws {
    try console.object(plan.json.object ?? [:])
    guard !console.isJSON else { return }
    var summary = Table([
      .init("SURFACE"), .init(plan.from.rawValue), .init(plan.to.rawValue),
      .init("HELD", .trailing), .init("MOVES", isFlexible: true),
    ])
    var losses: [String] = []
    for surface in capabilities.providers.first?.surfaces.map(\.surface) ?? [] {
      let (old, new) = (support(of: surface, at: plan.from), support(of: surface, at: plan.to))
      guard old.isThere || plan.moves.contains(where: { $0.surface == surface }) else { continue }
      let holding = holdings.first { $0.surface == surface }
      summary.add([
        Phrase(surface.rawValue, .bold), Phrase(old.words), Phrase(new.words),
        Phrase(holding?.held.map { "\($0)" } ?? "-"), Phrase(words(for: surface, new)),
      ])
      if plan.moves.contains(where: { $0.surface == surface }),
        let sentence = holding?.lossSentence(of: plan)
      {
        losses.append("\(surface.rawValue): \(sentence)")
      }
    }
    try console.table(summary)
    for sentence in losses { try console.line(Phrase(sentence)) }
    var table = Table([.init("SURFACE"), .init("STAGE"), .init("ROUTE", isFlexible: true)])
    for one in stages {
      let route = one.route.map { String(decoding: $0.json.encoded(), as: UTF8.self) }
      table.add([
        Phrase(one.surface.rawValue, .bold), Phrase(one.stage.words),
        Phrase(route ?? "every provider that takes it"),
      ])
    }
    try console.line("")
    try console.table(table)
    for sentence in gateSentences { try console.line(Phrase(sentence)) }
  }

  /// What the plan has in the place of standard gates.
  private var gateSentences: [String] {
    Engagement.MigrationStage.Kind.allCases.compactMap { kind in
      guard let planned = plan.gates[kind] else { return nil }
      guard !planned.isEmpty else { return "gates of \(kind.rawValue): none" }
      let standard = Engagement.MigrationFigure.standard(of: kind)
      let words = Engagement.MigrationFigure.allCases.compactMap { figure -> String? in
        guard let limit = planned[figure] else { return nil }
        let bound = figure.isAtLeast ? "at least" : "at most"
        let now =
          figure.rawValue + (limit.isFinite ? " \(bound) \(figure.text(of: limit))" : " removed")
        let former = standard[figure].map { "in place of \(figure.text(of: $0))" } ?? "added"
        return "\(now) (\(former))"
      }
      return "gates of \(kind.rawValue): \(words.joined(separator: ", ")); the others are standard"
    }
  }

  private struct Support {
    var words: String
    var isThere = true
    var isBridged = false
  }

  private func support(of surface: Engagement.Surface, at provider: ProviderID) -> Support {
    let found = capabilities.providers.first { $0.provider == provider }?.surfaces
      .first { $0.surface == surface }?.support
    switch found {
    case .native: return Support(words: "native")
    case .bridged(let other):
      return Support(words: "bridged from \(other.rawValue)", isBridged: true)
    case .absent, nil: return Support(words: "absent", isThere: false)
    }
  }

  private func words(for surface: Engagement.Surface, _ new: Support) -> String {
    guard new.isThere else { return "lost: the new provider has none" }
    guard plan.moves.contains(where: { $0.surface == surface }) else { return "not in this plan" }
    return new.isBridged ? "as items of the other kind" : "as it is"
  }
}

extension Invocation {
  /// Lets migrations look at their gates, and says which surfaces have moved by themselves since a time.
  func tellSteps(of engagement: Engagement, since start: Date) async throws {
    for status in try await engagement.reviewMigrations() {
      guard let step = status.steps.last, step.by == nil, step.date >= start else { continue }
      let reason = step.why.map { ": \($0)" } ?? ""
      console.note(
        "\(status.surface.rawValue) has moved from \(step.from.words) to \(step.to.words)\(reason)."
      )
    }
  }
}

extension Engagement.MigrationHolding {
  /// What the new provider is not told of the held items; nil if there is no such thing.
  func lossSentence(of plan: Engagement.MigrationPlan) -> String? {
    func list(_ lost: [LostAction]) -> String {
      lost.map { "\($0.action) (\($0.items))" }.joined(separator: ", ")
    }
    let (refused, kept) = (lostActions.filter { !$0.isKept }, lostActions.filter(\.isKept))
    var parts: [String] = []
    if !refused.isEmpty { parts.append("\(plan.to) has no \(list(refused))") }
    if !kept.isEmpty { parts.append("\(plan.to) is not told of \(list(kept))") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }
}

extension [Engagement.MigrationStatus] {
  /// The objects and the table of `engage migrate advance --dry-run`.
  func print(_ notes: MigrationNotes, on console: Console) throws {
    for status in self { try console.object(status.object) }
    try printTable(notes, on: console)
  }

  /// The table of `engage migrate status`, with a line for each gate.
  func printTable(_ notes: MigrationNotes, on console: Console) throws {
    var table = Table([
      .init("SURFACE"), .init("FROM"), .init("TO"), .init("STAGE"), .init("NEXT"),
      .init("GATES", isFlexible: true), .init("LEFT", .trailing),
    ])
    for status in self {
      table.add([
        Phrase(status.surface.rawValue, .bold), Phrase(status.plan.from.rawValue),
        Phrase(status.plan.to.rawValue), Phrase(status.stage.words),
        Phrase(status.next?.words ?? "-"), status.gatesPhrase, Phrase("\(status.left)"),
      ])
    }
    try console.table(table)
    for status in self { status.tell(on: console) }
    notes.tell(of: self, on: console)
  }
}

extension Engagement.MigrationStatus {
  fileprivate var gatesPhrase: Phrase {
    let holding = gates.count(where: \.holds)
    guard !gates.isEmpty else { return Phrase("none", .faint) }
    return Phrase("\(holding) of \(gates.count) hold", holding == gates.count ? .green : .yellow)
  }

  var object: JSONObject {
    var object: JSONObject = [
      "surface": .string(surface.rawValue), "from": .string(plan.from.rawValue),
      "to": .string(plan.to.rawValue), "stage": .string(stage.words),
      "percent": .integer(Int64(stage.percent)), "mayAdvance": .bool(mayAdvance),
      "gates": .array(gates.map(\.json)), "left": .integer(Int64(left)),
      "leftOfOthers": .integer(Int64(leftOfOthers)),
      "leftOfAnonymous": .integer(Int64(leftOfAnonymous)), "withheld": .integer(Int64(withheld)),
      "isHeldOut": .bool(isHeldOut),
      "obstacle": obstacle.map(JSON.string) ?? .null,
      "refusal": refusal.map(JSON.string) ?? .null,
      "steps": .array(steps.map(\.json)),
    ]
    object["next"] = next.map { .string($0.words) }
    object["remainder"] = remainder.map(JSON.string)
    return object
  }
}

import EngagementKit
import EngagementModel
import EngagementVendors

extension Engagement.MigrationStatus {
  /// Says what is in the way of the next stage, and what to do about it.
  func tell(on console: Console) {
    for note in notes { console.note(Phrase(note)) }
  }

  /// What is in the way of the next stage, and what to do about it.
  private var notes: [String] {
    let name = surface.rawValue
    var notes = obstacle.map { [$0] } ?? []
    notes += gates.filter { !$0.holds }.map { "\(name): \($0.sentence): \(nextStep(on: $0))." }
    if isHeldOut {
      notes.append(
        "\(name): this person is held out at \(stage.words) and never asks \(plan.to): its own figures "
          + "cannot speak for it. \"engage migrate advance \(name) --from FILE\" takes those of the "
          + "installations whose events \"engage import --into FILE\" has collected.")
    }
    notes += waitingSentences.map { "\(name): \($0)" }
    if let refusal { notes.append("\(name): \(refusal)") }
    return notes
  }

  private func nextStep(on gate: Engagement.MigrationGate) -> String {
    let sync = "run \"engage sync\""
    let more = "\(sync) \(gate.missing) more \(gate.missing == 1 ? "time" : "times")"
    switch gate.figure {
    case .comparisons: return "\(more), a minute apart"
    case .parityAge: return sync
    case .mismatches where gate.value == nil: return sync
    case .mismatches: return "\"engage parity\" shows what differs; mend it and \(sync)"
    case .requests where isHeldOut: return gate.advice
    case .requests: return more
    case .errors where gate.value == nil, .latency where gate.value == nil:
      return "\(sync), until both providers have answered"
    case .errors, .latency, .undelivered, .optOuts:
      return
        "\"engage compare\" shows more; if it stays so, \"engage migrate rollback \(surface.rawValue)\""
    case .duplicates: return gate.advice
    case .untold: return "\"engage outbox\" shows what waits, and \(sync) sends it"
    case .pending where left == leftOfOthers + leftOfAnonymous:
      // No command sends or lists what other people did.
      return "none is of the present user; give the plan \"drainsUntil\", or force the step"
    case .pending:
      return
        "\"engage outbox\" shows what waits, and \(sync) sends it; or give the plan "
        + "\"drainsUntil\""
    }
  }

  // MARK: Stages

  /// The stage of the plan that a command line names.
  ///
  /// Throws `invalidArgument` with a command that works.
  func plannedStage(_ words: String) throws -> Engagement.MigrationStage {
    try Self.stage(words, among: stages) { choices in
      "The plan of \(surface.rawValue) has no stage \(words); its stages are \(choices): run "
        + "\"engage migrate advance \(surface.rawValue) --to \((next ?? stage).argument)\"."
    }
  }

  /// A stage as a command line names it: as `ramp 25`, or as `ramp` where there is one of them.
  ///
  /// - Parameter fault: What is said of any other words, with the stages that there are.
  private static func stage(
    _ words: String, among stages: [Engagement.MigrationStage], _ fault: (String) -> String
  ) throws -> Engagement.MigrationStage {
    let named = stages.filter { $0.kind.rawValue.hasSameBytes(as: words) }
    if named.count == 1 { return named[0] }
    if let stage = try? Engagement.MigrationStage(words: words), stages.contains(stage) {
      return stage
    }
    let choices = stages.map { $0.argument }.joined(separator: ", ")
    throw EngagementError(.invalidArgument, fault(choices))
  }

  private var stages: [Engagement.MigrationStage] {
    [.off] + (plan.moves.first { $0.surface == surface }?.stages ?? [])
  }

  private var earlierStages: [Engagement.MigrationStage] {
    Array(stages.prefix { $0 != stage })
  }

  /// The earlier stage that a command line names; nil where nothing can be taken back, which the kit says.
  ///
  /// Throws `invalidArgument` with a command that works.
  func earlierStage(_ words: String) throws -> Engagement.MigrationStage? {
    let earlier = earlierStages
    guard let last = earlier.last, stage != .removed else { return nil }
    return try Self.stage(words, among: earlier) { choices in
      "\(surface.rawValue) is at \(stage.words) and cannot go back to \(words); it can to \(choices): run "
        + "\"engage migrate rollback \(surface.rawValue) --to \(last.argument)\"."
    }
  }
}

extension Engagement.SurfaceCapability.Support {
  var isThere: Bool { if case .absent = self { false } else { true } }
}

extension Engagement.MigrationStage {
  /// The stage as one word of a command line.
  fileprivate var argument: String {
    (1...99).contains(percent) ? "\(kind.rawValue)=\(percent)" : kind.rawValue
  }
}

/// What `engage migrate plan` warns of: what is in engage.json, or is not, makes a move other than expected.
struct PlanWarnings {
  private let plan: Engagement.MigrationPlan
  private let configuration: EngageConfiguration
  private let engagement: Engagement

  init(
    _ plan: Engagement.MigrationPlan, _ configuration: EngageConfiguration, _ engagement: Engagement
  ) {
    self.plan = plan
    self.configuration = configuration
    self.engagement = engagement
  }

  func tell(on console: Console) {
    if let keys { console.note(Phrase(keys)) }
    if let routes { console.note(Phrase(routes)) }
  }

  private func moves(_ surface: Engagement.Surface) -> Bool {
    plan.moves.contains { $0.surface == surface }
  }

  /// Said where a provider has no content keys: no item is known as a copy.
  private var keys: String? {
    guard moves(.cards) || moves(.inbox) else { return nil }
    let lacking = configuration.providers.filter {
      ($0.id == plan.from || $0.id == plan.to) && $0.contentKey == nil
    }.map(\.id.rawValue)
    guard !lacking.isEmpty else { return nil }
    let lines = lacking.map { "\"contentKey\": {\"extra\": \"NAME\"} to providers.\($0)" }
    return
      "\(lacking.joined(separator: " and ")) \(lacking.count == 1 ? "has" : "have") no content key: what was "
      + "read or dismissed does not follow to \(plan.to), and nothing can be compared. Add "
      + lines.joined(separator: " and ") + " of engage.json."
  }

  /// A warning if engage.json has no route for the surface: then both providers fill it before it moves.
  private var routes: String? {
    let surfaces: [Engagement.Surface] = [.cards, .inbox, .templates, .push]
    let open = surfaces.filter { surface in
      moves(surface) && !configuration.writtenRoutes.contains(surface.rawValue)
        && isShared(surface)
    }
    guard !open.isEmpty else { return nil }
    let members = open.map { "\"\($0.rawValue)\": {\"only\": \"\(plan.from)\"}" }
    let token = open.contains(.push) ? ", and both have the push token" : ""
    return
      "engage.json has no route of \(open.map(\.rawValue).joined(separator: ", ")): \(plan.to) is shown beside "
      + "\(plan.from) already\(token). Add \"routes\": {\(members.joined(separator: ", "))}."
  }

  /// Whether the surface leads to both providers now.
  private func isShared(_ surface: Engagement.Surface) -> Bool {
    let row = RouteRow.all(of: engagement, configured: nil).first {
      $0.surface == surface.rawValue && $0.container == nil
    }
    guard let route = row?.route else {
      return [plan.from, plan.to].allSatisfy { provider in
        engagement.capabilities.providers.contains { report in
          report.provider == provider
            && report.surfaces.contains { $0.surface == surface && $0.support.isThere }
        }
      }
    }
    guard case .merge(let providers) = route else {
      guard case .mirror(let providers) = route else { return false }
      return providers.contains(plan.from) && providers.contains(plan.to)
    }
    return providers.contains(plan.from) && providers.contains(plan.to)
  }
}

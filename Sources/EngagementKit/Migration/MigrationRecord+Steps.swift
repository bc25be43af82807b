import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension MigrationRecord {
  /// Throws `notFound` if the surface has no migration, and `conflict` if it cannot be read.
  static func require(
    _ surface: RoutedSurface, in memory: ProviderMemory
  ) throws(EngagementError) -> MigrationRecord {
    try checkReadable(surface, in: memory)
    guard let record = of(surface, in: memory) else {
      throw EngagementError(
        .notFound, "\(surface.rawValue) has no migration; start a plan that names it.")
    }
    return record
  }

  /// Throws `conflict` if the surface has a migration that cannot be read.
  static func checkReadable(
    _ surface: RoutedSurface, in memory: ProviderMemory
  ) throws(EngagementError) {
    guard let fault = fault(of: surface, in: memory) else { return }
    throw EngagementError(.conflict, fault.text)
  }

  /// Throws `conflict` for a place whose route a migration decides.
  static func checkIdle(
    _ place: RoutePlace, in memory: ProviderMemory
  ) throws(EngagementError) {
    guard case .surface(let surface) = place else { return }
    try checkReadable(surface, in: memory)
    guard let record = of(surface, in: memory), record.isUnderWay else { return }
    throw EngagementError(
      .conflict,
      "\(surface.rawValue) moves from \"\(record.plan.from)\" to \"\(record.plan.to)\" and is at "
        + "\(record.stage.words); take the migration back to off, or finish it, and then set a route."
    )
  }

  /// Whether people have moved from the provider, or all have.
  static func hasMoved(
    _ surface: RoutedSurface, from provider: ProviderID, in memory: ProviderMemory
  ) -> Bool {
    guard let record = of(surface, in: memory) else { return false }
    return record.plan.from == provider && record.stage.percent > 0
  }

  /// Throws `conflict` if another plan cannot take the place of this one.
  func checkReplaced(by plan: Engagement.MigrationPlan) throws(EngagementError) {
    guard isUnderWay else { return }
    guard self.plan.isOfSameProviders(as: plan) else {
      throw EngagementError(
        .conflict,
        "\(surface.rawValue) moves from \"\(self.plan.from)\" to \"\(self.plan.to)\" already and is at "
          + "\(stage.words); take that back to off, or finish it, first.")
    }
    guard plan.move(of: surface.surface)?.stages.contains(stage) == true else {
      throw EngagementError(
        .conflict,
        "\(surface.rawValue) is at \(stage.words), which the new plan has not; move to a stage that both "
          + "have first.")
    }
  }

  /// Throws `conflict` if a surface before this one in the plan is behind the stage, or if its migration
  /// cannot be read.
  func checkOrder(
    _ stage: Engagement.MigrationStage, in memory: ProviderMemory
  ) throws(EngagementError) {
    for move in plan.moves.prefix(while: { $0.surface != surface.surface }) {
      guard let other = RoutedSurface(rawValue: move.surface.rawValue) else { continue }
      if let fault = Self.fault(of: other, in: memory) {
        throw EngagementError(
          .conflict, "\(move.surface) comes before \(surface.rawValue) in the plan. \(fault.text)")
      }
      guard let record = Self.of(other, in: memory), record.plan.isOfSameProviders(as: plan)
      else { continue }
      // Not every surface has every stage.
      let needed = record.lastStage(upTo: stage)
      guard record.stage.order >= needed.order else {
        throw EngagementError(
          .conflict,
          "\(move.surface) comes before \(surface.rawValue) in the plan and is at "
            + "\(record.stage.words); move it to \(needed.words) first.")
      }
    }
  }

  /// The last of its own stages that is not past another one.
  func lastStage(upTo stage: Engagement.MigrationStage) -> Engagement.MigrationStage {
    stages.last { $0.order <= stage.order } ?? .off
  }

  /// The surfaces behind this one in the plan.
  func followers(in memory: ProviderMemory) -> [MigrationRecord] {
    plan.moves.drop { $0.surface != surface.surface }.dropFirst().compactMap { move in
      guard let other = RoutedSurface(rawValue: move.surface.rawValue),
        let record = Self.of(other, in: memory), record.plan.isOfSameProviders(as: plan)
      else { return nil }
      return record
    }
  }

  /// Why the surface stays, and what to do about each gate.
  func refusal(_ measures: MigrationMeasures) -> EngagementError {
    let open = measures.gates.filter { !$0.holds }
    var text =
      "\(surface.rawValue) stays at \(stage.words): "
      + open.map { "\($0.sentence): \($0.advice)" }.joined(separator: "; ") + "."
    if let sentence = measures.heldOutSentence { text += " \(sentence)" }
    if open.contains(where: { $0.figure == .untold || $0.figure == .pending }) {
      for sentence in measures.waiting.sentences(at: stage) { text += " \(sentence)" }
    }
    return EngagementError(.conflict, text)
  }

  var overtaken: EngagementError {
    EngagementError(
      .conflict,
      "\(surface.rawValue) was at \(stage.words) and has been moved meanwhile; look again.")
  }

  /// The gate that takes people back. There has to be enough to judge by.
  func broken(among gates: [Engagement.MigrationGate]) -> Engagement.MigrationGate? {
    guard stage.percent > 0, stage.kind != .drain, stage.kind != .removed else { return nil }
    let isEnough = gates.first { $0.figure == .requests }?.holds ?? true
    return gates.first { $0.figure.breaks && $0.value != nil && !$0.holds && isEnough }
  }
}

extension Engagement.MigrationPlan {
  func isOfSameProviders(as other: Self) -> Bool { from == other.from && to == other.to }
}

extension Engagement.MigrationGate {
  /// What is so, in a message.
  public var sentence: String {
    let text = "\(figure.rawValue) " + (source.map { "of \($0) " } ?? "")
    guard let value else { return text + "is not known yet" }
    let now = figure.text(of: value)
    return text + "is \(now), "
      + (figure.isAtLeast ? "and at least" : "and at most")
      + " \(figure.text(of: limit)) is wanted"
  }

  /// How much is missing until the limit is reached.
  public var missing: Int {
    max(1, Int(clamping: Int64(max(0, limit - (value ?? 0)).rounded(.up))))
  }

  /// What to do about a gate that does not hold.
  public var advice: String {
    switch figure {
    case .comparisons: "compare \(missing) more \(times), a minute apart"
    case .parityAge: "compare again"
    case .mismatches where value == nil: "compare again"
    case .mismatches: "mend what differs at one of the providers, and compare again"
    case .requests: "refresh \(missing) more \(times)"
    case .errors where value == nil, .latency where value == nil:
      "refresh, until both providers have answered"
    case .errors: "look at why its requests fail, or take the surface back"
    case .latency: "look at why it is slow, or take the surface back"
    case .undelivered: "look at what it refuses, or take the surface back"
    case .duplicates: "end the copies at the new provider"
    case .optOuts: "look at why people opt out, or take the surface back"
    case .untold: "let what waits be sent"
    case .pending: "let what waits be sent, or give the plan a date in drainsUntil"
    }
  }

  private var times: String { missing == 1 ? "time" : "times" }
}

extension Engagement.MigrationFigure {
  /// A value as people read it.
  public func text(of value: Double) -> String {
    switch self {
    case .mismatches, .errors, .undelivered: "\((value * 1_000).rounded() / 10) %"
    case .parityAge: RouteTime.words(.seconds(value.rounded()))
    case .latency: "\((value * 100).rounded() / 100) ×"
    case .comparisons, .requests, .duplicates, .optOuts, .untold, .pending:
      "\(Int64(exactly: value).map { "\($0)" } ?? "\(value)")"
    }
  }
}

extension Engagement.MigrationStep {
  /// The properties of the step's event.
  func properties(of record: MigrationRecord) -> JSONObject {
    var properties: JSONObject = [
      "surface": .string(record.surface.rawValue), "old": .string(record.plan.from.rawValue),
      "new": .string(record.plan.to.rawValue), "from": .string(from.words),
      "to": .string(to.words), "forced": .bool(isForced), "gates": .array(gates.map(\.json)),
    ]
    properties["by"] = by.map(JSON.string)
    properties["why"] = why.map(JSON.string)
    return properties
  }
}

extension ParityReport {
  /// The changes that forget what was compared before the shadow of this migration.
  static func forgetting(_ record: MigrationRecord, in memory: ProviderMemory) -> [Change] {
    memory.values.all(.user).compactMap { name, _ in
      guard let kept = memory.json(.user, name).flatMap(ParityRecord.init(json:)),
        kept.name.hasSameBytes(as: name), kept.report.candidate == record.plan.to,
        kept.report.surface == record.surface.surface
      else { return nil }
      return KitState.change(.user, name, nil)
    }
  }
}

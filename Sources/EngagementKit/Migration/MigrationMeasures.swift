import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// What this installation has seen of a migration since its stage began.
struct MigrationMeasures: Sendable {
  private let record: MigrationRecord
  /// What the two providers' requests for the surface were like.
  private var requests: [ProviderID: [Double?]] = [:]
  private var duplicates = 0
  private var optOuts = 0
  private var untold = 0
  /// What is still to be sent.
  private(set) var waiting = WaitingActions()
  /// Whether the stage leaves the person with the old provider.
  let isHeldOut: Bool
  /// Figures in the place of those of this installation.
  private var measured: Engagement.MeasuredFigures?
  private var outcomes = MigrationRecord.Outcomes()
  private var parity: [Engagement.ParityReport] = []
  private let now: Date
  private(set) var newest: Int64 = 0

  private static let page = 500

  init(
    of record: MigrationRecord, by dependencies: KitDependencies, in partition: Partition,
    _ memory: ProviderMemory, plans: RoutePlans
  ) async throws(EngagementError) {
    self.record = record
    isHeldOut =
      record.stage.isShared && !plans.lead(to: record.plan.to, for: record.surface)
    now = dependencies.clock.now
    let (store, plan) = (dependencies.store, record.plan)
    let counts = try await store.endings(of: [:], since: [:]).counts
    outcomes = MigrationRecord.Outcomes(counts[plan.to])
    waiting = try await WaitingActions(
      for: plan, by: dependencies, in: partition,
      isAnyForOld: counts[plan.from].map { $0.pending > 0 } ?? false)
    untold = waiting.untold
    parity = ParityReport.all(
      in: memory, routes: plans.routes, keyed: Set(dependencies.contentKeys.keys)
    ).filter { $0.candidate == plan.to && $0.surface == record.surface.surface }
    try await readLedger(by: dependencies, in: partition)
  }

  private mutating func readLedger(
    by dependencies: KitDependencies, in partition: Partition
  ) async throws(EngagementError) {
    let (surface, plan) = (record.surface, record.plan)
    var verbs: [ProviderID: Set<String>] = [:]
    for provider in dependencies.providers where [plan.from, plan.to].contains(provider.id) {
      verbs[provider.id] = Set(
        surface.verbs(at: provider.adapter.capabilities).map(\.rawValue))
    }
    newest = record.sequence
    while true {
      let page = try await dependencies.store.entries(
        after: newest, limit: Self.page, in: partition)
      for event in page.map(\.event) {
        newest = event.sequence
        if event.kind == .optOut { optOuts += 1 }
        guard let provider = event.provider else { continue }
        if event.kind == .contentDuplicated, provider == plan.to,
          event.properties["surface"] == .string(surface.surface.rawValue)
        {
          duplicates += 1
        }
        guard event.kind == .providerRequest || event.kind == .providerFailed,
          let verb = event.properties["operation"]?.string, verbs[provider]?.contains(verb) == true
        else { continue }
        let time = event.properties["milliseconds"]?.number ?? 0
        requests[provider, default: []].append(event.kind == .providerRequest ? time : nil)
      }
      guard page.count == Self.page else { return }
    }
  }

  // MARK: Figures

  /// The gates of the stage, as they are now.
  var gates: [Engagement.MigrationGate] {
    record.plan.gates(of: record.stage, on: record.surface).filter { figure, _ in
      figure != .pending || !mayEndDrain
    }.map { figure, limit in
      Engagement.MigrationGate(figure: figure, limit: limit, value: value(of: figure))
    }.measured(by: measured)
  }

  /// Takes figures that were measured elsewhere.
  mutating func take(_ figures: Engagement.MeasuredFigures?) { measured = figures }

  /// Said where figures of a person who is held out keep the surface back.
  var heldOutSentence: String? {
    guard isHeldOut, gates.contains(where: { !$0.holds && $0.isOfOneInstallation }) else {
      return nil
    }
    return
      "This person is held out at \(record.stage.words) and never asks \"\(record.plan.to)\": figures of "
      + "this installation cannot speak for it, those of a ledger of many can."
  }

  /// Whether the old provider's actions may be left behind.
  private var mayEndDrain: Bool { record.plan.drainsUntil.map { $0 <= now } ?? false }

  /// What the old provider's requests were like, in this stage or before.
  var baseline: MigrationRecord.Requests? { seen(of: record.plan.from) ?? record.baseline }

  var present: MigrationRecord.Outcomes { outcomes }

  private func seen(of provider: ProviderID) -> MigrationRecord.Requests? {
    guard let all = requests[provider], !all.isEmpty else { return nil }
    let times = all.compactMap(\.self).sorted()
    return MigrationRecord.Requests(
      count: all.count, errors: Double(all.count - times.count) / Double(all.count),
      latency: times.isEmpty ? nil : times[times.count / 2])
  }

  private func value(of figure: Engagement.MigrationFigure) -> Double? {
    let new = seen(of: record.plan.to)
    switch figure {
    case .comparisons: return reports.map { Double($0.comparisons) }.min() ?? 0
    case .parityAge: return reports.compactMap(age).max()
    case .mismatches: return mismatches
    case .requests: return Double(new?.count ?? 0)
    case .errors:
      return new.map { Engagement.MigrationFigure.errors($0.errors, above: baseline?.errors) }
    case .latency:
      return Engagement.MigrationFigure.latency(new?.latency, against: baseline?.latency)
    case .undelivered:
      let lost = outcomes.lost - record.outcomes.lost
      let ended = lost + outcomes.taken - record.outcomes.taken
      return ended > 0 ? Double(lost) / Double(ended) : 0
    case .duplicates: return Double(duplicates)
    case .optOuts: return Double(optOuts)
    case .untold: return Double(untold)
    case .pending: return Double(waiting.left)
    }
  }

  /// The reports of comparisons that were made in this stage.
  private var reports: [Engagement.ParityReport] {
    guard let start = record.steps.last?.date else { return [] }
    return parity.filter { report in report.comparedAt.map { $0 >= start } ?? false }
  }

  /// Nil for a comparison that is of the future, or that could not be made since.
  private func age(of report: Engagement.ParityReport) -> Double? {
    report.comparedAt.map { now.timeIntervalSince($0) }.flatMap { $0 < 0 ? nil : $0 }
  }

  private var mismatches: Double? {
    // Each list has to be compared, and none may have failed since.
    guard !parity.isEmpty, reports.count == parity.count, reports.allSatisfy({ $0.failure == nil })
    else { return nil }
    let shares = reports.compactMap { report -> Double? in
      let figures = report.last
      guard figures.compared > 0 else { return nil }
      let differing = figures.onlyShown + figures.onlyCandidate + figures.different
      return Double(differing) / Double(figures.compared)
    }
    return shares.max()
  }
}

extension MigrationRecord.Outcomes {
  fileprivate init(_ counts: DeliveryCounts?) {
    guard let counts else { return }
    taken = counts.delivered + counts.kept
    lost = counts.rejected + counts.expired + counts.evicted + counts.lost
  }
}

extension Engagement.MigrationGate {
  /// Whether events of other installations could tell it, and the value is of this one.
  fileprivate var isOfOneInstallation: Bool { figure.isInLedger && source == nil }
}

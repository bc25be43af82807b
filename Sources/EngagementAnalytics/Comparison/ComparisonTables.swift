import EngagementModel

/// The tables of a report. Each is there once and for every kind of output.
struct ComparisonTables {
  let report: ComparisonReport

  private var design: ComparisonDesign { report.design }
  private var counts: ComparisonCounts { report.counts }
  private var level: String { Figure.level(design.significance) }

  /// All but those of days. A table without rows is left out, and so is all that the checks withhold.
  var all: [ComparisonTable] {
    let isTold = report.withheld.isEmpty
    let hasOutcomes = report.checks.outcomesReason == nil
    return [
      checks, people, hasOutcomes ? funnel : nil, hasOutcomes ? rates : nil,
      isTold ? decisive : nil,
      isTold && hasOthersThanExposed
        ? differences(\.exposed, "Differences among the exposed") : nil,
      usesPast ? differences(\.unadjusted, "Differences without the past of people") : nil,
      isTold ? strata : nil, requests, hasOutcomes ? events : nil,
    ].compactMap(\.self).filter { !$0.rows.isEmpty }
  }

  /// The differences that decide.
  var decisive: ComparisonTable {
    differences(\.difference, "Differences from \(name(of: design.control))")
  }

  /// Otherwise the differences among the exposed are those of all.
  private var hasOthersThanExposed: Bool {
    design.isExperiment && counts.arms.contains { $0.exposed < $0.assigned }
  }

  private var usesPast: Bool {
    report.metrics.contains { $0.comparisons.contains(where: \.usesPast) }
  }

  func name(of arm: Int) -> String { design.arms[arm].name.readable }

  private var armTitle: String { design.isExperiment ? "Arm" : "Provider" }

  var checks: ComparisonTable {
    var table = ComparisonTable("Checks", names: ["Check", "State", "What it says"])
    for check in report.checks.all {
      table.add([check.name, check.state.rawValue, check.sentence])
    }
    return table
  }

  var people: ComparisonTable {
    var table = ComparisonTable(
      "People", names: [armTitle],
      numbers: design.isExperiment
        ? ["Assigned", "Share", "Planned", "Exposed"] : ["Received", "From no other"])
    let sum = Double(max(counts.arms.reduce(0) { $0 + $1.assigned }, 1))
    for (index, arm) in counts.arms.enumerated() {
      let share = Double(arm.assigned) / sum
      let alone = arm.metrics.first?.people ?? 0
      let cells =
        design.isExperiment
        ? [
          Figure.count(arm.assigned), Figure.percent(share),
          Figure.percent(design.arms[index].share), Figure.count(arm.exposed),
        ] : [Figure.count(arm.assigned), Figure.count(alone)]
      table.add([name(of: index)] + cells)
    }
    return table
  }

  var funnel: ComparisonTable {
    var table = ComparisonTable(
      "Funnel", names: ["Step", armTitle], numbers: ["People", "Of all"])
    for step in FunnelStep.allCases {
      for (index, arm) in counts.arms.enumerated() {
        let people = counts.people(at: step, in: index)
        table.add(
          [step.title, name(of: index)]
            + (people.map { [Figure.count($0), Self.share($0, of: arm.assigned)] }
              ?? [Self.unrecorded, ""]))
      }
    }
    return table
  }

  static let unrecorded = "not recorded"

  static func share(_ part: Int, of whole: Int) -> String {
    whole > 0 ? Figure.percent(Double(part) / Double(whole)) : "none"
  }

  var rates: ComparisonTable {
    var table = ComparisonTable(
      "Figures", names: ["Metric", armTitle], numbers: ["Figure", "\(level) interval", "Out of"])
    for (place, metric) in report.metrics.enumerated() {
      for (arm, rate) in metric.rates.enumerated() {
        let people = counts.arms[arm].metrics[place].people
        guard people > 0 else { continue }
        let sums = counts.arms[arm].metrics[place]
        table.add(
          [metric.metric.name.readable, name(of: arm)]
            + cells(of: rate, isShare: metric.metric.isShare) + [Figure.count(sums.denominator)])
      }
    }
    return table
  }

  /// The figure and its interval, or why there is no figure. Why there is no interval is a note.
  private func cells(of rate: Conclusion<MeasuredFigure>, isShare: Bool) -> [String] {
    switch rate {
    case .withheld(let reason):
      return [Self.withheld, reason]
    case .known(let figure):
      let text = Figure.rate(figure.value, isShare: isShare)
      return [
        text,
        figure.interval.value.map { Figure.range($0) { Figure.rate($0, isShare: isShare) } }
          ?? "none",
      ]
    }
  }

  static let withheld = "withheld"

  func differences(
    _ kind: KeyPath<MetricComparison, Conclusion<MeasuredDifference>>, _ title: String
  ) -> ComparisonTable {
    var table = ComparisonTable(
      title, names: ["Metric", armTitle],
      numbers: [
        "Difference", "\(level) interval", "Relative", "\(level) interval", "p", "p by Holm",
        "Detectable",
      ])
    for metric in report.metrics {
      for comparison in metric.comparisons {
        let cells = cells(of: comparison[keyPath: kind], isShare: metric.metric.isShare)
        table.add([metric.metric.name.readable, name(of: comparison.arm)] + cells)
      }
    }
    return table
  }

  private func cells(of difference: Conclusion<MeasuredDifference>, isShare: Bool) -> [String] {
    switch difference {
    case .withheld(let reason):
      let text = reason == report.checks.reason ? "see the checks" : reason
      return [Self.withheld, text, "", "", "", "", ""]
    case .known(let value):
      return Self.absolute(value.absolute, isShare: isShare) + Self.relative(value.relative) + [
        Figure.probability(value.probability),
        value.adjustedProbability.map { Figure.probability($0) } ?? "",
        Figure.size(value.leastVisible, isShare: isShare),
      ]
    }
  }

  private static func absolute(_ figure: MeasuredFigure, isShare: Bool) -> [String] {
    func text(_ value: Double) -> String { Figure.difference(value, isShare: isShare) }
    return [text(figure.value), figure.interval.value.map { Figure.range($0, text) } ?? ""]
  }

  private static func relative(_ figure: Conclusion<MeasuredFigure>) -> [String] {
    switch figure {
    case .withheld(let reason): [withheld, reason]
    case .known(let figure):
      [
        Figure.change(figure.value),
        figure.interval.value.map { Figure.range($0, Figure.change) } ?? "",
      ]
    }
  }

  /// More strata are not shown.
  static let shownStrata = 40

  var strata: ComparisonTable {
    var table = ComparisonTable(
      "Strata", names: ["Metric", armTitle, "Stratum"],
      numbers: ["People", "Difference", "\(level) interval"])
    for metric in report.metrics {
      for comparison in metric.comparisons {
        for stratum in comparison.strata.prefix(Self.shownStrata) {
          let cells = cells(of: stratum.difference, isShare: metric.metric.isShare)
          table.add([
            metric.metric.name.readable, name(of: comparison.arm),
            "\(stratum.stratum.name.readable) \(stratum.stratum.value.readable)",
            Figure.count(stratum.people), cells[0], cells[1],
          ])
        }
      }
    }
    return table
  }

  var requests: ComparisonTable {
    var table = ComparisonTable(
      "Requests to providers", names: [armTitle],
      numbers: ["Requests", "Failed", "Share", "Mean time", "Half took up to", "95% took up to"])
    for (index, arm) in counts.arms.enumerated() {
      let requests = arm.requests
      table.add([
        name(of: index), Figure.count(requests.requests), Figure.count(requests.failures),
        Self.share(requests.failures, of: requests.requests),
        requests.meanMilliseconds.map(Self.duration) ?? Self.unknown,
        Self.bound(of: requests, keptBy: 0.5), Self.bound(of: requests, keptBy: 0.95),
      ])
    }
    return table
  }

  private static let unknown = "not known"

  private static func duration(_ milliseconds: Int) -> String { Figure.count(milliseconds) + " ms" }

  private static func bound(of requests: RequestCounts, keptBy share: Double) -> String {
    guard requests.timed > 0 else { return unknown }
    return requests.bound(keptBy: share).map(duration)
      ?? "over " + duration(RequestCounts.bounds.last ?? 0)
  }

  var events: ComparisonTable {
    var table = ComparisonTable(
      "Events", names: ["Kind"], named: design.arms.indices.map { name(of: $0) })
    let kinds = Set(counts.arms.flatMap(\.events.keys)).sorted { $0.rawValue < $1.rawValue }
    for kind in kinds {
      table.add([kind.rawValue.readable] + counts.arms.map { Figure.count($0.events[kind] ?? 0) })
    }
    return table
  }
}

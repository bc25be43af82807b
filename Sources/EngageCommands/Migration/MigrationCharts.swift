import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The charts of a surface that moves, each with its table.
struct MigrationCharts {
  let surface: MigratingSurface
  /// Differs from that of the other surfaces.
  let id: String
  let date: Date

  private var status: Engagement.MigrationStatus { surface.status }

  private static let (good, bad, old, new) = ("a3", "a5", "a0", "a1")

  // MARK: Gates

  /// The gates of the present stage.
  var gates: String {
    let title = "\(surface.name): gates of \(status.stage.words)"
    guard !status.gates.isEmpty else { return Self.empty(title, "The stage has no gates.") }
    var table = ComparisonTable(title, names: ["Gate", "Holds"], numbers: ["Value", "Limit"])
    let bars = status.gates.map { gate in
      let (value, limit) = (gate.valueText, gate.limitText)
      table.add([gate.figure.rawValue, gate.holds ? "yes" : "no", value, limit])
      let end = max(gate.value ?? 0, gate.limit) * 1.25
      func share(of figure: Double) -> Double { end > 0 ? figure / end : 0 }
      return BarChart.Bar(
        label: gate.figure.rawValue + (gate.holds ? ": holds" : ": does not hold"),
        figure: value, share: share(of: gate.value ?? 0), planned: share(of: gate.limit),
        style: gate.holds ? Self.good : Self.bad)
    }
    return PageElement.chart(
      BarChart(groups: [.init(bars: bars)]).svg, id: "gates-\(id)", title: title,
      description: "The figures since the stage began. The marks are the limits.",
      table: PageElement.table(table, names: 1))
  }

  // MARK: Over time

  /// The gates as they were at each step, and as they are now.
  var history: String {
    let title = "\(surface.name): gates over time"
    var table = ComparisonTable(
      title, names: ["When", "Stage", "Gate", "Holds"], numbers: ["Value", "Limit"])
    var moments = status.steps.map { (Self.text(of: $0.date), $0.from, $0.gates) }
    moments.append(("now", status.stage, status.gates))
    for (when, stage, gates) in moments {
      for gate in gates {
        table.add([
          when, stage.words, gate.figure.rawValue, gate.holds ? "yes" : "no", gate.valueText,
          gate.limitText,
        ])
      }
    }
    guard status.steps.count > 0, !table.rows.isEmpty else {
      return Self.empty(title, "Nothing has moved yet.")
    }
    return PageElement.chart(
      GateHistory(moments: moments.map(\.2)).svg, id: "history-\(id)", title: title,
      description:
        "One place for each step, in their order, and the last one for now. A ring is a gate that "
        + "did not hold, a question mark one that was not known, a dashed line the latest limit.",
      table: PageElement.table(table, names: 2, isLong: true))
  }

  /// Who made the steps, and why.
  var steps: String {
    guard !status.steps.isEmpty else { return "" }
    let title = "\(surface.name): latest steps"
    var table = ComparisonTable(
      title, names: ["When", "From", "To", "By", "Why", "Forced", "Gates"])
    for step in status.steps {
      table.add([
        Self.text(of: step.date), step.from.words, step.to.words, step.by ?? "not said",
        step.why ?? "not said", step.isForced ? "yes" : "no",
        step.gates.isEmpty
          ? "none" : "\(step.gates.count(where: \.holds)) of \(step.gates.count) held",
      ])
    }
    return """
      <section aria-label="\(title.html)">
      <h2>\(title.html)</h2>
      \(PageElement.table(table, names: 1))
      </section>
      """
  }

  // MARK: Parity

  var parity: String {
    guard surface.hasContents else { return "" }
    let title = "\(surface.name): parity"
    let reports = surface.parity.filter { $0.comparisons > 0 }
    guard !reports.isEmpty else {
      return Self.empty(
        title,
        status.stage.kind == .shadow
          ? "Nothing was compared yet; run \"engage sync\"."
          : "The providers are compared at shadow. The gates over time have what was found.")
    }
    var table = ComparisonTable(
      title, names: ["List", "Compared"],
      numbers: [
        "Both", "Missing", "Extra", "Different", "Moved", "Later", "No key", "Comparisons",
      ])
    let groups = reports.map { report in
      let (name, last) = (report.container?.rawValue ?? surface.name, report.last)
      let numbers = [
        last.both, last.onlyShown, last.onlyCandidate, last.different, last.moved, last.later,
        last.shownWithoutKey + last.candidateWithoutKey, report.comparisons,
      ]
      table.add(
        [name, report.comparedAt.map(Self.text) ?? "never"] + numbers.map { Figure.count($0) })
      func bar(_ label: String, _ count: Int, _ style: String) -> BarChart.Bar {
        BarChart.Bar(
          label: label, figure: "\(Figure.count(count)) of \(Figure.count(last.compared))",
          share: Double(count) / Double(max(last.compared, 1)), style: style)
      }
      return BarChart.Group(
        title: name.cleaned(upTo: 40),
        bars: [
          bar("listed by both", last.both, Self.good),
          bar("missing at the new provider", last.onlyShown, Self.bad),
          bar("only at the new provider", last.onlyCandidate, Self.bad),
          bar("different", last.different, Self.bad), bar("moved", last.moved, Self.old),
        ])
    }
    return PageElement.chart(
      BarChart(groups: groups).svg, id: "parity-\(id)", title: title,
      description: "The contents of the last comparison, by their content keys.",
      table: PageElement.table(table, names: 1))
  }

  // MARK: All surfaces

  static func duplicates(_ surfaces: [MigratingSurface]) -> String {
    let title = "Duplicates avoided"
    var table = ComparisonTable(title, names: ["Surface", "What"], numbers: ["Count"])
    var counts: [(surface: String, what: String, count: Int)] = []
    for surface in surfaces {
      if surface.hasContents, let holding = surface.holding {
        counts.append((surface.name, "listed by both, shown once", holding.shownOnce))
        counts.append((surface.name, "ended by the user, not shown again", holding.hidden))
      }
      if let dropped = surface.droppedPushes {
        counts.append((surface.name, "late pushes not shown", dropped))
      }
    }
    guard !counts.isEmpty else {
      return empty(title, "No surface of the plans has items or pushes.")
    }
    let most = max(counts.map(\.count).max() ?? 0, 1)
    let bars = counts.map { one in
      table.add([one.surface, one.what, Figure.count(one.count)])
      return BarChart.Bar(
        label: "\(one.surface): \(one.what)", figure: Figure.count(one.count),
        share: Double(one.count) / Double(most), style: new)
    }
    return PageElement.chart(
      BarChart(groups: [.init(bars: bars)]).svg, id: "duplicates", title: title,
      description:
        "Contents by their content keys, as the cache has them now, and the late pushes that the "
        + "event log has. Contents of a provider without content keys, or that is only compared, "
        + "are not counted.",
      table: PageElement.table(table, names: 2))
  }

  static func remainder(_ surfaces: [MigratingSurface]) -> String {
    let title = "Left to drain"
    var table = ComparisonTable(
      title, names: ["Old provider", "Surfaces", "Drain ends"], numbers: ["Actions left"])
    var plans: [ProviderID: [MigratingSurface]] = [:]
    for surface in surfaces { plans[surface.status.plan.from, default: []].append(surface) }
    let most = max(surfaces.map(\.status.left).max() ?? 0, 1)
    let bars = plans.sorted { $0.key < $1.key }.map { provider, surfaces in
      let left = surfaces.first?.status.left ?? 0
      let ends = surfaces.compactMap(\.status.plan.drainsUntil).min()
      table.add([
        provider.rawValue,
        surfaces.map { "\($0.name) at \($0.status.stage.words)" }
          .joined(separator: ", "),
        ends.map { "when none is left, or at \(text(of: $0))" } ?? "when none is left",
        Figure.count(left),
      ])
      return BarChart.Bar(
        label: provider.rawValue.cleaned(upTo: 28), figure: Figure.count(left),
        share: Double(left) / Double(most), style: old)
    }
    return PageElement.chart(
      BarChart(groups: [.init(bars: bars)]).svg, id: "remainder", title: title,
      description: "Actions of all surfaces that are still to be sent to the old provider.",
      table: PageElement.table(table, names: 1))
  }

  private static func empty(_ title: String, _ reason: String) -> String {
    "<section><h2>\(title.html)</h2><p>\(reason.html)</p></section>"
  }

  private static func text(of date: Date) -> String { ISO8601.text(of: date) ?? "" }
}

/// The figures of gates over the steps: a row for each, on a scale of its own.
private struct GateHistory {
  /// The gates at each step.
  let moments: [[Engagement.MigrationGate]]

  private static let plotHeight = 36

  var svg: SVG {
    var svg = SVG()
    for figure in Engagement.MigrationFigure.allCases {
      let gates = moments.map { gates in gates.first { $0.figure == figure } }
      guard let last = gates.compactMap(\.self).last else { continue }
      svg.text(figure.rawValue, at: 0, svg.height + 14, .start, "label")
      svg.text(last.valueText, at: 1, svg.height + 14, .end, "figure")
      draw(gates, limit: last.limit, in: &svg)
      svg.height += Self.plotHeight + 46
    }
    return svg
  }

  private func draw(_ gates: [Engagement.MigrationGate?], limit: Double, in svg: inout SVG) {
    let top = svg.height + 26
    let most = (gates.compactMap { $0?.value } + [limit]).max() ?? 0
    func height(of value: Double) -> Double { most > 0 ? value / most : 0 }
    func line(at value: Double) -> Int {
      top + Int(((1 - height(of: value)) * Double(Self.plotHeight)).rounded())
    }
    svg.line(0, line(at: 0), to: 1, line(at: 0), "grid")
    svg.line(0, line(at: limit), to: 1, line(at: limit), "reference")
    let points = gates.enumerated().compactMap { index, gate in
      gate.map { (x: place(of: index), gate: $0) }
    }
    let known = points.compactMap { point in
      point.gate.value.map { (x: point.x, y: height(of: $0)) }
    }
    if known.count > 1 { svg.curve(known, top, height: Self.plotHeight, "line a1") }
    for point in points {
      guard let value = point.gate.value else {
        svg.text("?", at: point.x, line(at: 0) - 4, .middle, "scale")
        continue
      }
      svg.circle(
        at: point.x, line(at: value), radius: 4, point.gate.holds ? "dot a3" : "ring")
    }
  }

  /// Dots keep away from the edges.
  private func place(of index: Int) -> Double {
    moments.count > 1 ? 0.02 + 0.96 * Double(index) / Double(moments.count - 1) : 0.5
  }
}

extension Engagement.MigrationGate {
  fileprivate var valueText: String { value.map(figure.text) ?? "not known" }

  fileprivate var limitText: String {
    "\(figure.isAtLeast ? "at least" : "at most") \(figure.text(of: limit))"
  }
}

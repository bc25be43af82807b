/// The charts of a report, each with its table.
struct ComparisonCharts {
  let report: ComparisonReport
  let tables: ComparisonTables

  private var design: ComparisonDesign { report.design }
  private var arms: [ArmCounts] { report.counts.arms }
  private func name(of arm: Int) -> String { tables.name(of: arm) }
  /// A label leaves room for its figure on a phone. The table has the whole name.
  private func label(of arm: Int) -> String { name(of: arm).cleaned(upTo: Self.labelLength) }
  private static let labelLength = 28

  /// The control has a colour of its own; there are five others.
  private func style(of arm: Int) -> String {
    guard arm != design.control else { return "a0" }
    return "a\((arm < design.control ? arm : arm - 1) % 5 + 1)"
  }

  var funnel: String {
    let groups = FunnelStep.allCases.map { step in
      let bars = arms.enumerated().map { index, arm in
        let people = report.counts.people(at: step, in: index)
        let figure = people.map {
          "\(Figure.count($0)) · \(ComparisonTables.share($0, of: arm.assigned))"
        }
        return BarChart.Bar(
          label: label(of: index), figure: figure ?? ComparisonTables.unrecorded,
          share: Double(people ?? 0) / Double(max(arm.assigned, 1)), style: style(of: index))
      }
      return BarChart.Group(title: step.title, bars: bars)
    }
    return PageElement.chart(
      BarChart(groups: groups).svg, id: "funnel", title: "Funnel",
      description: "People who were delivered an item, who saw one, and who clicked.",
      table: PageElement.table(tables.funnel, names: 2))
  }

  var people: String {
    let sum = max(report.counts.people, 1)
    let bars = arms.enumerated().map { index, arm in
      BarChart.Bar(
        label: label(of: index),
        figure: "\(Figure.count(arm.assigned)) · \(ComparisonTables.share(arm.assigned, of: sum))",
        share: Double(arm.assigned) / Double(sum),
        planned: design.isExperiment ? design.arms[index].share : nil, style: style(of: index))
    }
    let chance = report.checks.splitRatio.map { ": \(Figure.equation($0.probability))" } ?? ""
    let description =
      design.isExperiment
      ? "The marks show the planned shares\(chance)." : "Who received from which provider."
    return PageElement.chart(
      BarChart(groups: [BarChart.Group(bars: bars)]).svg, id: "people",
      title: design.isExperiment ? "Sample ratio" : "People", description: description,
      table: PageElement.table(tables.people, names: 1))
  }

  var rates: String {
    let groups = report.metrics.map { metric in
      let rows = metric.rates.enumerated().map { arm, rate in
        row(label(of: arm), rate, style(of: arm)) {
          Figure.rate($0, isShare: metric.metric.isShare)
        }
      }
      let most = rows.compactMap { $0.interval?.upperBound ?? $0.value }.max() ?? 0
      return IntervalChart.Group(
        title: metric.metric.name.readable, scale: 0...Figure.scaleEnd(for: most), rows: rows,
        text: { Figure.rate($0, isShare: metric.metric.isShare) })
    }
    let explanations = report.metrics.map {
      "\($0.metric.name.readable): \($0.metric.explanation.cleaned(upTo: 200))"
    }
    return PageElement.chart(
      IntervalChart(groups: groups).svg, id: "rates", title: "Figures with intervals",
      description: explanations.joined(separator: "; ") + ".",
      table: PageElement.table(tables.rates, names: 2))
  }

  private func row(
    _ label: String, _ figure: Conclusion<MeasuredFigure>, _ style: String,
    _ text: (Double) -> String
  ) -> IntervalChart.Row {
    let value = figure.value
    let interval = value?.interval.value
    return IntervalChart.Row(
      label: label,
      figure: value.map { text($0.value) } ?? ComparisonTables.withheld, value: value?.value,
      interval: interval, style: style)
  }

  var differences: String {
    let rows = report.metrics.flatMap { metric in
      metric.comparisons.map { comparison in
        let relative = comparison.difference.map(\.relative)
        let arm = design.treatments.count > 1 ? ", \(name(of: comparison.arm))" : ""
        return row(
          (metric.metric.name.readable + arm).cleaned(upTo: Self.labelLength), relative,
          style(of: comparison.arm), Figure.change)
      }
    }
    let description =
      "How far each arm is from \(name(of: design.control)), as a share of its figure, with "
      + "\(Figure.level(design.significance)) intervals. The table tells which differences are seen: "
      + "the probability (p) by Holm's correction decides."
    let table = PageElement.table(tables.decisive, names: 2)
    guard rows.contains(where: { $0.value != nil }) else {
      let reason = report.checks.reason ?? "No relative difference is known."
      return """
        <section><h2>Relative differences</h2><p>\(reason.html)</p>
        \(report.withheld.isEmpty ? table : "")</section>
        """
    }
    let limit = Self.limit(of: rows)
    let group = IntervalChart.Group(
      title: "", scale: -limit...limit, reference: 0, rows: rows, text: Figure.change)
    return PageElement.chart(
      IntervalChart(groups: [group]).svg, id: "differences", title: "Relative differences",
      description: description, table: table)
  }

  /// A scale on which most intervals are whole. One very wide interval does not hide the others.
  private static func limit(of rows: [IntervalChart.Row]) -> Double {
    let bounds = rows.compactMap { row in
      row.interval.map { max(abs($0.lowerBound), abs($0.upperBound)) }
    }.sorted()
    guard let most = bounds.last else { return 1 }
    return Figure.scaleEnd(for: min(most, max(bounds[bounds.count / 2] * 2.5, 0.01)))
  }

  /// A chart for each metric that has days, and of which somebody has done something.
  var overTime: [String] {
    report.metrics.enumerated().compactMap { index, metric in
      let series = ComparisonSeries(of: index, in: report.counts)
      guard series.points.contains(where: { $0.figures.contains { $0 ?? 0 != 0 } }) else {
        return nil
      }
      func text(_ value: Double) -> String { Figure.rate(value, isShare: metric.metric.isShare) }
      let title = "\(metric.metric.name.readable) over time"
      var table = ComparisonTable(
        title, names: ["Day"], numbers: design.arms.indices.map { name(of: $0) })
      for point in series.points {
        table.add([Figure.day(point.day)] + point.figures.map { $0.map(text) ?? "none" })
      }
      let lines = design.arms.indices.map { arm in
        let values = series.points.map { $0.figures[arm] }
        return LineChart.Line(
          label: label(of: arm), style: style(of: arm),
          figure: values.last.flatMap(\.self).map(text) ?? "none", values: values)
      }
      return PageElement.chart(
        LineChart(days: series.points.map(\.day), lines: lines, text: text).svg,
        id: "days-\(index)", title: title,
        description: "On each day, the figure of all people up to then (UTC).",
        table: PageElement.table(table, names: 1, isLong: true))
    }
  }

  var requests: String {
    let bars = arms.enumerated().map { index, arm in
      let (failed, all) = (arm.requests.failures, arm.requests.requests)
      return BarChart.Bar(
        label: label(of: index),
        figure: "\(Figure.count(failed)) of \(Figure.count(all)) · "
          + ComparisonTables.share(failed, of: all),
        share: Double(failed) / Double(max(all, 1)), style: style(of: index))
    }
    return PageElement.chart(
      BarChart(groups: [BarChart.Group(title: "Failed requests", bars: bars)]).svg, id: "requests",
      title: "Guardrails",
      description:
        "What went wrong between the application and the providers, and how long it took. Half and 95% "
        + "are told by the next of some bounds, such as 70, 100 or 150 ms.",
      table: PageElement.table(tables.requests, names: 1))
  }
}

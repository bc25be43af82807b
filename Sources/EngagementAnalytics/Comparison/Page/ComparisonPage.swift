/// A report as one HTML page: charts with a table under each, and no script.
struct ComparisonPage {
  let report: ComparisonReport
  private let sentences: ComparisonSentences
  private let tables: ComparisonTables

  init(report: ComparisonReport) {
    self.report = report
    sentences = ComparisonSentences(report: report)
    tables = ComparisonTables(report: report)
  }

  private var design: ComparisonDesign { report.design }

  var html: String {
    let charts = ComparisonCharts(report: report, tables: tables)
    let hasOutcomes = report.checks.outcomesReason == nil
    let outcomes = [charts.rates, charts.differences] + charts.overTime
    return PageDocument.html(
      title: sentences.title,
      body: """
        \(header)
        \(checks)
        <div class="pair">
        \(hasOutcomes ? charts.funnel : "")
        \(charts.people)
        </div>
        \(hasOutcomes ? outcomes.joined(separator: "\n") : "")
        \(charts.requests)
        \(others)
        """)
  }

  private var header: String {
    let conclusions = sentences.conclusions.map { conclusion in
      let style = conclusion.isSeen ? "seen" : "unseen"
      return """
        <li class="\(style)"><h2>\(conclusion.subject.html)</h2>\(Self.figure(of: conclusion))\
        <p>\(conclusion.sentence.html)</p></li>
        """
    }
    return """
      <header>
      <h1>\(sentences.title.html)</h1>
      <p>\(sentences.method.html)</p>
      \(sentences.summary.map { "<p><b>\($0.html)</b></p>" }.joined(separator: "\n"))
      </header>
      <ul class="conclusions" aria-label="Conclusions">
      \(conclusions.joined(separator: "\n"))
      </ul>
      """
  }

  /// Only a difference that is seen is large. Why nothing is told of any metric is the tile itself.
  private static func figure(of conclusion: ComparisonSentences.Conclusion) -> String {
    guard let figure = conclusion.figure else {
      return conclusion.isOfMetric ? "<strong class=\"none\">No difference told</strong>" : ""
    }
    return conclusion.isSeen
      ? "<strong>\(figure.html)</strong>"
      : "<strong class=\"none\">No difference seen</strong><small>Measured: \(figure.html)</small>"
  }

  private var checks: String {
    let items = tables.checks.rows.map { row in
      "<li class=\"\(row[1])\"><b>\(row[1].html)</b><span>\(row[2].html)</span></li>"
    }
    let notes = sentences.notes.map { "<li>\($0.html)</li>" }.joined(separator: "\n")
    return """
      <section aria-labelledby="checks">
      <h2 id="checks">Can the figures be trusted?</h2>
      <ul class="checks">
      \(items.joined(separator: "\n"))
      </ul>
      \(notes.isEmpty ? "" : "<ul class=\"notes\">\n\(notes)\n</ul>")
      </section>
      """
  }

  /// The tables without a chart.
  private var others: String {
    let shown = ["Checks", "People", "Funnel", "Figures", tables.requests.title]
    let rest = tables.all.filter {
      !shown.contains($0.title) && $0.title != tables.decisive.title
    }
    guard !rest.isEmpty else { return "" }
    let html = rest.map { table in
      PageElement.table(table, names: table.columns.count { !$0.isNumeric })
    }
    return """
      <section aria-labelledby="more">
      <h2 id="more">More figures</h2>
      \(html.joined(separator: "\n"))
      </section>
      """
  }
}

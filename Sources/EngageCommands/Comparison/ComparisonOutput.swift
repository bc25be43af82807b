import EngagementAnalytics
import EngagementJSON
import EngagementKit
import EngagementModel

extension Invocation {
  /// Prints what a comparison has found, and completes its page.
  func show(
    _ counts: ComparisonCounts, of input: ComparisonInput, _ losses: ComparisonInput.Losses,
    page: NewFile?
  ) throws -> ExitStatus {
    let report = ComparisonReport(
      counts, at: context.clock.now,
      of: .init(since: input.since, until: input.until, notes: losses.notes(of: counts.design)))
    if let page {
      try page.write(Array(report.html.utf8))
      try page.finish()
    }
    try console.object(report.json)
    try console.show(report)
    if let path = value(ComparisonOptions.html) { try console.line("\nThe page is \(path).") }
    return console.tell(losses) ? .failed : .done
  }
}

extension Console {
  /// Prints the conclusions and then the tables.
  fileprivate func show(_ report: ComparisonReport) throws(OutputError) {
    try line(Phrase(report.title, .bold))
    try line(Phrase(report.method))
    try line()
    for sentence in report.sentences { try line(Phrase(sentence)) }
    for figures in report.tables {
      try line()
      try line(Phrase(figures.title, .bold))
      try show(figures)
    }
  }

  /// Prints a table, or a list where a terminal is too narrow for it: a figure that is cut is another one.
  private func show(_ whole: ComparisonTable) throws(OutputError) {
    let (figures, reasons) = whole.withReasonsBelow
    try show(figures, as: Table(figures))
    for (index, reason) in reasons.enumerated() { try line("  (\(index + 1)) \(reason)") }
  }

  private func show(_ figures: ComparisonTable, as layout: Table) throws(OutputError) {
    let widest = layout.lines(width: nil).map(\.width).max() ?? 0
    guard let width = terminal.width, widest > width else { return try table(layout) }
    for row in figures.rows {
      let cells = zip(figures.columns, row).filter { !$1.isEmpty }
      let names = cells.filter { !$0.0.isNumeric }.map(\.1)
      try line(Phrase(names.joined(separator: " · ")))
      for (column, figure) in cells where column.isNumeric {
        try line("  \(column.title): \(figure)")
      }
    }
  }

  /// Tells what was not counted. Returns whether anything was lost.
  @discardableResult
  func tell(_ losses: ComparisonInput.Losses) -> Bool {
    if losses.duplicates > 0 {
      note("\(ExportRun.words(losses.duplicates)) there already: counted once.")
    }
    for fault in losses.faults.sentences { note(Phrase(fault)) }
    if losses.faults.untold > 0 { note("\(losses.faults.untold) more cannot be read.") }
    return losses.faults.count > 0
  }
}

extension Table {
  fileprivate init(_ figures: ComparisonTable) {
    self.init(
      figures.columns.map { Column($0.heading, $0.isNumeric ? .trailing : .leading) })
    for row in figures.rows { add(row.map { Phrase($0) }) }
  }
}

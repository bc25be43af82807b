import EngagementAnalytics
import EngagementJSON
import EngagementModel

extension Invocation {
  /// Prints what a comparison has found, and completes its page.
  func show(
    _ report: ComparisonReport, _ losses: ComparisonInput.Losses, page: NewFile?
  ) throws -> ExitStatus {
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
      try table(Table(figures))
    }
  }

  /// Tells what was not counted. Returns whether anything was lost.
  fileprivate func tell(_ losses: ComparisonInput.Losses) -> Bool {
    if losses.duplicates > 0 {
      note("\(ExportRun.words(losses.duplicates)) there already: counted once.")
    }
    for fault in losses.faults { note(Phrase(fault)) }
    let others = losses.faultCount - losses.faults.count
    if others > 0 { note("\(others) more cannot be read.") }
    return losses.faultCount > 0
  }
}

extension Table {
  /// A table of a comparison; sentences give way first.
  fileprivate init(_ figures: ComparisonTable) {
    self.init(
      figures.columns.map { column in
        Column(
          column.title.uppercased(), column.isNumeric ? .trailing : .leading,
          isFlexible: !column.isNumeric)
      })
    for row in figures.rows { add(row.map { Phrase($0) }) }
  }
}

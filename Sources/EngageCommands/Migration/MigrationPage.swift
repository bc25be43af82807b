import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The state of migrations as one HTML page: charts with a table under each, and no script.
struct MigrationPage {
  let overview: MigrationOverview

  private var title: String {
    let pairs = Set(overview.statuses.map { "\($0.plan.from) to \($0.plan.to)" })
    guard let pair = pairs.first, pairs.count == 1 else { return "Migrations" }
    return "Migration from \(pair)"
  }

  var html: String {
    let parts = overview.surfaces.enumerated().map { index, surface in
      section(of: surface, "\(index)")
    }
    return PageDocument.html(
      title: title,
      body: """
        \(header)
        \(parts.joined(separator: "\n"))
        \(MigrationCharts.duplicates(overview.surfaces))
        \(MigrationCharts.remainder(overview.surfaces))
        """)
  }

  private var header: String {
    let items = overview.surfaces.map { surface in
      let status = surface.status
      let style = status.mayAdvance || status.next == nil ? "seen" : "unseen"
      return """
        <li class="\(style)"><h2>\(surface.name.html)</h2>\
        <strong>\(status.stage.words.html)</strong><p>\(Self.sentence(on: status).html)</p></li>
        """
    }
    let date = ISO8601.text(of: overview.date) ?? ""
    return """
      <header>
      <h1>\(title.html)</h1>
      <p>\("At \(date), by what this installation has seen of the current user.".html)</p>
      </header>
      <ul class="conclusions" aria-label="Stages">
      \(items.joined(separator: "\n"))
      </ul>
      """
  }

  private static func sentence(on status: Engagement.MigrationStatus) -> String {
    guard let next = status.next else { return "The last stage." }
    let holding = status.gates.count(where: \.holds)
    let gates =
      status.gates.isEmpty
      ? "The stage has no gates." : "\(holding) of \(status.gates.count) gates hold."
    return gates + (status.mayAdvance ? " It may move on to " : " Next is ") + "\(next.words)."
  }

  private func section(of surface: MigratingSurface, _ id: String) -> String {
    let status = surface.status
    let heading = "\(surface.name): from \(status.plan.from) to \(status.plan.to)"
    let present = surface.stages.firstIndex(of: status.stage) ?? 0
    let stages = surface.stages.enumerated().map { index, stage in
      let mark =
        index < present ? " class=\"past\"" : index == present ? " aria-current=\"step\"" : ""
      return "<li\(mark)>\(stage.words.html)</li>"
    }
    let notes = notes(on: surface).map { "<li>\($0.html)</li>" }.joined(separator: "\n")
    let charts = MigrationCharts(surface: surface, id: id, date: overview.date)
    return """
      <section aria-labelledby="surface-\(id)">
      <h2 id="surface-\(id)">\(heading.html)</h2>
      <ol class="stages" aria-label="\("Stages of \(surface.name)".html)">
      \(stages.joined(separator: "\n"))
      </ol>
      \(notes.isEmpty ? "" : "<ul class=\"notes\">\n\(notes)\n</ul>")
      </section>
      \(charts.gates)
      \(charts.history)
      \(charts.steps)
      \(charts.parity)
      """
  }

  private func notes(on surface: MigratingSurface) -> [String] {
    let status = surface.status
    var notes = status.gates.filter { !$0.holds }.map { "\($0.sentence)." }
    if let refusal = status.refusal { notes.append(refusal) }
    if let sentence = surface.holding?.lossSentence(of: status.plan) { notes.append(sentence) }
    return notes
  }
}

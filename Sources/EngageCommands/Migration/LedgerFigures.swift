import EngagementAnalytics
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The figures of a stage by the events of many installations.
struct LedgerFigures {
  let figures: Engagement.MeasuredFigures
  /// What was measured, in a sentence.
  let sentence: String

  /// Reads files of "engage import" or "engage export".
  ///
  /// Throws `notFound` if no installation of the files came to the stage, and `unreadable` for a line that
  /// holds no event: it could be a failure.
  init(
    of status: Engagement.MigrationStatus, _ engagement: Engagement, in paths: [String],
    _ invocation: Invocation
  ) throws {
    let plan = status.plan
    var requests: [ProviderID: Set<String>] = [:]
    for provider in [plan.from, plan.to] {
      requests[provider] = engagement.requestNames(of: status.surface, at: provider)
    }
    var tally = StageTally(
      of: .init(
        surface: status.surface.rawValue, old: plan.from, new: plan.to, words: status.stage.words,
        experiment: status.experiment, requests: requests))
    var files = try ExportedFiles(paths) { invocation.context.path($0) }
    if let damage = try files.takeDamage().first {
      throw EngagementError(.unreadable, "\(damage.name): \(damage.sentence)")
    }
    try Self.read(files) { tally.learn(from: $0) }
    let name = paths.joined(separator: ", ")
    guard tally.installations > 0 else {
      throw EngagementError(
        .notFound,
        "No event of \(name) says that an installation came to \(status.stage.words) of "
          + "\(status.surface.rawValue) from \(plan.from) to \(plan.to): export the events of some that "
          + "did, and import them.")
    }
    try Self.read(files) { tally.count($0) }
    figures = try Engagement.MeasuredFigures(source: name, values: Self.values(tally))
    let people = tally.people.map { ", on which \($0) people have moved" } ?? ""
    sentence =
      "\(name) has \(tally.installations) installations at \(status.stage.words)\(people): "
      + Engagement.MigrationFigure.allCases.filter(\.isInLedger).map(\.rawValue)
      .joined(separator: ", ") + " are theirs, all other figures are of this installation."
  }

  private static func read(
    _ files: ExportedFiles, _ body: (borrowing EventRecord) -> Void
  ) throws {
    for file in files.files {
      try EventFile(file.path).read { line, event in
        switch event {
        case .event(let record): body(record)
        case .fault(let fault):
          throw EngagementError(
            .unreadable, "\(file.name):\(line): \(fault) It may be a failure; mend or remove it.")
        }
      }
    }
  }

  private static func values(_ tally: StageTally) -> [Engagement.MigrationFigure: Double] {
    typealias Figure = Engagement.MigrationFigure
    let (new, old) = (tally.new, tally.old)
    let sent = max(tally.accepted, tally.lost)
    var values: [Figure: Double] = [
      .requests: Double(new.count), .duplicates: Double(tally.duplicates),
      .optOuts: Double(tally.optOuts),
      .undelivered: sent > 0 ? Double(tally.lost) / Double(sent) : 0,
    ]
    values[.errors] = new.errors.map { Figure.errors($0, above: old.errors) }
    values[.latency] = Figure.latency(new.median, against: old.median)
    return values
  }
}

import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

extension Command {
  private static let missing = Option(
    "max-missing", value: "PERCENT",
    "how many of the shown contents the candidate may lack (default 0%)")
  private static let extra = Option(
    "max-extra", value: "PERCENT",
    "how many of the candidate's contents may not be shown (default 0%)")
  private static let different = Option(
    "max-different", value: "PERCENT",
    "how many of the common contents may differ (default 0%)")
  private static let moved = Option(
    "max-moved", value: "PERCENT",
    "how many of the common contents may stand elsewhere (default 0%)")
  private static let keyless = Option(
    "max-no-key", value: "PERCENT",
    "how many of the shown items may have no content key (default 100%)")
  private static let compared = Option(
    "min-compared", value: "N", "how many contents have to be compared (default 1)")
  private static let age = Option(
    "max-age", value: "HOURS", "how old the last comparison may be (default 24)")

  /// `engage parity`.
  static let parity = Command(
    name: ["parity"], summary: "show how candidates of shadow routes compare with what is shown",
    discussion: """
      "engage sync" reads the candidates of routes with shadow beside what is shown and compares
      them, as often as "every" of the route allows. Items are copies by their content keys.

      The figures are those of the last comparison: BOTH list it; MISSING: only the shown provider
      does; EXTRA: only the candidate does; DIFFERENT: another title, text, image or link; MOVED:
      in another order; LATER: the candidate lacked it before; NO KEY: items without a content
      key, which are not compared. After a change of a contentKey the next "engage sync" compares
      again, even before "every" is over.

      The status is 0 if every candidate is at parity. What was not compared, or too long ago, is
      not at parity, nor is a candidate that could not be read last: a note says what to do. Items
      without a content key are noted; --max-no-key limits them.
      """,
    options: [missing, extra, different, moved, keyless, compared, age],
    examples: [
      Example("engage parity", "0 only if nothing differs"),
      Example("engage parity --max-missing 1% --max-moved 100%", "one in a hundred, in any order"),
      Example("engage parity --min-compared 50 --max-age 1", "for a gate in a pipeline"),
      Example("engage parity --json", "with the fields that differ, sums and examples"),
    ],
    run: { invocation in
      let limits = try limits(invocation)
      let configuration = try invocation.configurationWithCache()
      let (reports, pauses) = try await invocation.reading(configuration) { engagement in
        (try await engagement.parity(), try await engagement.pauses)
      }
      guard !reports.isEmpty else {
        invocation.console.note(
          "No route has a shadow, so nothing is compared; see CONFIGURATION.md.")
        return .failed
      }
      let now = invocation.context.clock.now
      let rows = reports.map {
        ParityRow($0, limits.verdict(on: $0, at: now, pausedUntil: pauses[$0.candidate]))
      }
      for row in rows { try invocation.console.object(row.object) }
      try invocation.console.table(ParityRow.table(of: rows, at: now))
      if !invocation.console.isJSON {
        for row in rows {
          for example in row.examples { try invocation.console.line(example) }
          for reason in row.verdict.reasons { invocation.console.note("\(row.name): \(reason)") }
          if let keyless = row.keyless { invocation.console.note("\(row.name): \(keyless)") }
        }
      }
      return rows.allSatisfy { $0.verdict == .parity } ? .done : .failed
    })

  private static func limits(_ invocation: Invocation) throws -> ParityLimits {
    ParityLimits(
      missing: try invocation.percentage(missing) ?? 0,
      extra: try invocation.percentage(extra) ?? 0,
      different: try invocation.percentage(different) ?? 0,
      moved: try invocation.percentage(moved) ?? 0,
      keyless: try invocation.percentage(keyless) ?? 100,
      compared: try invocation.number(compared, in: 1...1_000_000) ?? 1,
      hours: try invocation.number(age, in: 1...87_600) ?? 24)
  }
}

/// What the command line allows.
struct ParityLimits {
  /// In percent.
  var missing = 0.0
  var extra = 0.0
  var different = 0.0
  var moved = 0.0
  var keyless = 100.0
  var compared = 1
  var hours = 24

  /// - Parameter end: Until when the candidate has asked to be left alone.
  func verdict(
    on report: Engagement.ParityReport, at now: Date, pausedUntil end: Date? = nil
  ) -> ParityVerdict {
    let sync =
      end.flatMap { ISO8601.text(of: $0) }
      .map { "it has asked to be left alone until \($0); run \"engage sync\" then." }
      ?? "run \"engage sync\"."
    if let obstacle = obstacle(to: report, at: now, sync) { return .notCompared(obstacle) }
    let figures = report.last
    let excesses = [
      excess(figures.onlyShown, of: figures.both + figures.onlyShown, "missing", missing),
      excess(figures.onlyCandidate, of: figures.both + figures.onlyCandidate, "extra", extra),
      excess(figures.different, of: figures.both, "different", different),
      excess(figures.moved, of: figures.both, "moved", moved),
      excess(figures.shownWithoutKey, of: figures.shownItems, "no-key", keyless),
    ].compactMap(\.self)
    return excesses.isEmpty ? .parity : .differs(excesses)
  }

  /// Why the report says nothing of the candidate; nil if it does.
  ///
  /// - Parameter sync: What makes a comparison.
  private func obstacle(
    to report: Engagement.ParityReport, at now: Date, _ sync: String
  ) -> String? {
    let keyless = report.withoutContentKeys.map(\.rawValue)
    guard keyless.isEmpty else {
      return keyless.count == 1
        ? "\(keyless[0]) has no contentKey in engage.json, so that nothing of it can be compared; "
          + "add one."
        : "\(keyless.joined(separator: " and ")) have no contentKey in engage.json, so that nothing "
          + "of them can be compared; add one to each."
    }
    let failure = report.failure.map { " The last reading of it failed: \($0.rawValue)." } ?? ""
    guard let comparedAt = report.comparedAt else {
      return "it was not compared yet; \(sync)" + failure
    }
    let seconds = now.timeIntervalSince(comparedAt)
    guard seconds >= -60 else {
      return "it was compared at a time that is still to come; \(sync)" + failure
    }
    guard seconds <= Double(hours) * 3_600 else {
      return
        "it was compared \(Int(min(seconds / 3_600, 1e9))) hours ago; \(sync)" + failure
    }
    if let failedAt = report.failedAt, failedAt > comparedAt {
      return "it could not be read since it was compared last; \(sync)" + failure
    }
    guard report.last.compared >= compared else {
      guard report.last.compared > 0 else {
        return "neither lists an item with a content key, so nothing was compared."
      }
      return
        "only \(report.last.compared) were compared, and --min-compared is \(compared)."
    }
    return nil
  }

  private func excess(_ part: Int, of whole: Int, _ name: String, _ limit: Double) -> String? {
    guard part > 0, whole > 0 else { return nil }
    let percent = Double(part) / Double(whole) * 100
    // A limit that is met to the last digit is met.
    guard percent > limit + 1e-9 else { return nil }
    return
      "\(part) of \(whole) \(name), \(ParityRow.text(percent)), and --max-\(name) is "
      + "\(ParityRow.text(limit))."
  }
}

/// What is said of one candidate.
enum ParityVerdict: Hashable {
  case parity
  case differs([String])
  case notCompared(String)

  var name: String {
    switch self {
    case .parity: "parity"
    case .differs: "differs"
    case .notCompared: "notCompared"
    }
  }

  var reasons: [String] {
    switch self {
    case .parity: []
    case .differs(let reasons): reasons
    case .notCompared(let reason): [reason]
    }
  }

  fileprivate var phrase: Phrase {
    switch self {
    case .parity: Phrase("parity", .green)
    case .differs: Phrase("differs", .red)
    case .notCompared: Phrase("not compared", .yellow)
    }
  }
}

/// One line of `engage parity`.
struct ParityRow {
  let report: Engagement.ParityReport
  let verdict: ParityVerdict

  init(_ report: Engagement.ParityReport, _ verdict: ParityVerdict) {
    self.report = report
    self.verdict = verdict
  }

  var name: String { "\(place), \(report.candidate)" }

  private var place: String {
    report.surface.rawValue + (report.container.map { " \($0)" } ?? "")
  }

  static func table(of rows: [ParityRow], at now: Date) -> Table {
    var table = Table([
      .init("SURFACE", isFlexible: true), .init("CANDIDATE"), .init("BOTH", .trailing),
      .init("MISSING", .trailing), .init("EXTRA", .trailing), .init("DIFFERENT", .trailing),
      .init("MOVED", .trailing), .init("LATER", .trailing), .init("NO KEY", .trailing),
      .init("COMPARED"), .init("VERDICT"),
    ])
    for row in rows {
      let figures = row.report.last
      let counts =
        row.report.comparisons == 0
        ? Array(repeating: "-", count: 7)
        : [
          figures.both, figures.onlyShown, figures.onlyCandidate, figures.different,
          figures.moved, figures.later, figures.shownWithoutKey + figures.candidateWithoutKey,
        ].map(String.init)
      table.add(
        [Phrase(row.place, .bold), Phrase(row.report.candidate.rawValue)]
          + counts.map { Phrase($0) } + [Phrase(row.age(at: now)), row.verdict.phrase])
    }
    return table
  }

  /// How long ago it was compared.
  private func age(at now: Date) -> String {
    guard let comparedAt = report.comparedAt else { return "-" }
    let seconds = Int(min(max(now.timeIntervalSince(comparedAt), 0), 1e12))
    if seconds < 120 { return "\(seconds) s ago" }
    return seconds < 7_200 ? "\(seconds / 60) min ago" : "\(seconds / 3_600) h ago"
  }

  /// What is said of items that cannot be compared; nil if all can.
  var keyless: String? {
    let figures = report.last
    guard figures.shownWithoutKey > 0, report.comparisons > 0 else { return nil }
    let time = report.comparedAt.flatMap { ISO8601.text(of: $0) }.map { " at \($0)" } ?? ""
    return
      "\(figures.shownWithoutKey) of \(figures.shownItems) shown items had no content key when it was "
      + "compared\(time), and were left out."
  }

  var object: JSONObject {
    var object = report.json.object ?? [:]
    object["verdict"] = .string(verdict.name)
    object["reasons"] = .array(verdict.reasons.map(JSON.string))
    return object
  }

  /// A line for each example, and one for each kind of which there are more.
  var examples: [Phrase] {
    let short = ShortIDs(report.examples.flatMap { [$0.shown, $0.candidate].compactMap(\.self) })
    let lines = report.examples.map { example in
      let ids = [example.shown, example.candidate].compactMap { $0.map(short.text(of:)) }
      let fields = example.fields.isEmpty ? "" : ": \(example.fields.joined(separator: ", "))"
      return Phrase("  \(example.kind.words): \(ids.joined(separator: " and "))\(fields)")
    }
    return lines
      + Engagement.ParityReport.Mismatch.Kind.allCases.compactMap { kind in
        let told = report.examples.count { $0.kind == kind }
        let others = report.last.count(of: kind) - told
        return told > 0 && others > 0 ? Phrase("  \(kind.words): \(others) more") : nil
      }
  }

  /// A percentage with at most two decimals.
  fileprivate static func text(_ percent: Double) -> String {
    let hundredths = Int((percent * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    let digits = rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)"
    return rest == 0 ? "\(whole)%" : "\(whole).\(digits)%"
  }
}

extension Engagement.ParityReport.Mismatch.Kind {
  fileprivate var words: String {
    switch self {
    case .onlyShown: "missing"
    case .onlyCandidate: "extra"
    case .different: "different"
    case .moved: "moved"
    case .later: "later"
    }
  }
}

extension Invocation {
  /// The option's value as a percentage: `1%`, `0.5%` or `1`.
  fileprivate func percentage(_ option: Option) throws -> Double? {
    guard let text = value(option) else { return nil }
    let number = text.hasSuffix("%") ? String(text.dropLast()) : text
    guard number.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
      let percent = Double(number), (0...100).contains(percent)
    else { throw usage("\(option.title) takes a percentage from 0% to 100%, not \"\(text)\".") }
    return percent
  }
}

extension Engagement.ParityReport.Figures {
  /// The items that are shown, with and without a content key.
  fileprivate var shownItems: Int { both + onlyShown + shownWithoutKey }

  fileprivate func count(of kind: Engagement.ParityReport.Mismatch.Kind) -> Int {
    switch kind {
    case .onlyShown: onlyShown
    case .onlyCandidate: onlyCandidate
    case .different: different
    case .moved: moved
    case .later: later
    }
  }
}

import EngagementFormats
import EngagementModel
import EngagementPlatform

/// What a report says in words.
struct ComparisonSentences {
  let report: ComparisonReport

  private var design: ComparisonDesign { report.design }
  private func name(of arm: Int) -> String { design.arms[arm].name.readable }

  var title: String {
    switch design.split {
    case .experiment(let name, let version): "\(name.readable), version \(version)"
    case .providers: Self.list(design.arms.indices.map { name(of: $0) }, "and")
    }
  }

  /// What was compared, and how.
  var method: String {
    let people = Self.people(report.counts.people)
    let plan =
      switch design.schedule {
      case .fixed: "fixed design"
      case .anytime: "anytime-valid design"
      case .unplanned: "observed, no random split"
      }
    return "\(people) · compared with \(name(of: design.control)) · \(plan) · "
      + "\(Figure.level(design.significance)) intervals" + times
  }

  private var times: String {
    func text(_ word: String, _ date: Date?) -> String {
      date.flatMap { ISO8601.text(of: $0) }.map { " · \(word) \($0)" } ?? ""
    }
    return text("since", report.source.since) + text("until", report.source.until)
  }

  /// What follows for one metric and arm, or for all.
  struct Conclusion {
    let subject: String
    /// The absolute difference, which decides; nil if none is told.
    var figure: String?
    var isSeen = false
    /// Otherwise it holds for all of them.
    var isOfMetric = true
    let sentence: String
  }

  /// For each metric and arm; why there is nothing to conclude, if that holds for all of them.
  var conclusions: [Conclusion] {
    guard report.withheld.isEmpty else {
      return report.withheld.map {
        Conclusion(subject: "No lift is shown", isOfMetric: false, sentence: $0)
      }
    }
    return report.metrics.flatMap { metric in
      metric.comparisons.map { conclusion(from: $0, metric.metric) }
    }
  }

  private func conclusion(
    from comparison: MetricComparison, _ metric: ComparisonMetric
  ) -> Conclusion {
    let (subject, arm) = (metric.name.readable, name(of: comparison.arm))
    switch comparison.difference {
    case .withheld(let reason):
      let arm = design.treatments.count > 1 ? "\(arm): " : ""
      return Conclusion(subject: subject, sentence: arm + reason)
    case .known(let difference):
      let verdict = comparison.verdict(at: design.significance) ?? .open
      return Conclusion(
        subject: subject,
        figure: Figure.difference(difference.absolute.value, isShare: metric.isShare),
        isSeen: verdict != .open, sentence: sentence(of: difference, verdict, in: arm, metric))
    }
  }

  private func sentence(
    of difference: MeasuredDifference, _ verdict: MetricComparison.Verdict, in arm: String,
    _ metric: ComparisonMetric
  ) -> String {
    let control = name(of: design.control)
    guard verdict != .open else {
      let least = Figure.size(difference.leastVisible, isShare: metric.isShare)
      return
        "No difference between \(arm) and \(control) is seen. Four of five comparisons of this "
        + "size would show a difference of \(least)."
    }
    return "\(arm) is \(verdict) \(control): "
      + Self.text(of: difference, isShare: metric.isShare)
  }

  /// The absolute difference, which decides, and then the relative one, each with its interval.
  private static func text(of difference: MeasuredDifference, isShare: Bool) -> String {
    func text(of figure: MeasuredFigure, _ text: (Double) -> String) -> String {
      text(figure.value)
        + (figure.interval.value.map { " (\(Figure.range($0, text)))" } ?? "")
    }
    let absolute = text(of: difference.absolute) { Figure.difference($0, isShare: isShare) }
    guard let relative = difference.relative.value else { return absolute + "." }
    let contradicts = relative.interval.value?.contains(0) == true
    return "\(absolute), relative \(text(of: relative, Figure.change))."
      + (contradicts ? " The relative interval contains zero: the absolute one decides." : "")
  }

  /// Which arm is above the other in what, where there are several figures; empty where nothing is told.
  var summary: [String] {
    guard report.withheld.isEmpty, report.metrics.count > 1 else { return [] }
    return design.treatments.compactMap(summary)
  }

  private func summary(of arm: Int) -> String? {
    let control = name(of: design.control)
    let comparisons = report.metrics.flatMap { metric in
      metric.comparisons.filter { $0.arm == arm }.map { (metric.metric.name.readable, $0) }
    }
    func names(_ verdict: MetricComparison.Verdict?) -> String? {
      let names = comparisons.filter { $1.verdict(at: design.significance) == verdict }.map(\.0)
      return names.isEmpty ? nil : Self.list(names, "and")
    }
    let seen = [
      names(.above).map { "above \(control) in \($0)" },
      names(.below).map { "below \(control) in \($0)" },
    ].compactMap(\.self)
    let open = names(.open)
    guard !seen.isEmpty || open != nil else { return nil }
    var sentences: [String] = []
    if seen.isEmpty {
      let arm = name(of: arm)
      sentences = ["no difference between \(arm) and \(control) is seen in \(open ?? "")."]
    } else {
      sentences = ["\(name(of: arm)) is \(seen.joined(separator: ", and "))."]
      if let open { sentences.append("No difference is seen in \(open).") }
    }
    if let others = names(nil) { sentences.append("Nothing is told of \(others).") }
    return "In short: " + sentences.joined(separator: " ")
  }

  private static func list(_ names: [String], _ word: String) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(word) \(last)"
  }

  /// What a reader has to know beside the figures.
  var notes: [String] {
    var notes = report.source.notes + outcomes + people + figures
    if report.withheld.isEmpty {
      notes += missingKinds + kindsOfNobody + times(apart: report.counts.arms)
    }
    if report.withheld.isEmpty, report.metrics.flatMap(\.comparisons).count > 1 {
      notes.append(
        "Each interval holds by itself. Which differences are seen is decided by Holm's correction over "
          + "all metrics and arms: with fewer of them, named by --metric before the start, smaller "
          + "differences are seen.")
    }
    if report.withheld.isEmpty, hasOpenDisagreement {
      notes.append(
        "Where an absolute and a relative interval do not agree whether there is a difference, neither "
          + "decides: the probability (p) by Holm's correction does.")
    }
    let adjusted = report.metrics.filter { $0.comparisons.contains(where: \.usesPast) }
    if !adjusted.isEmpty {
      notes.append(
        "The past \(design.lookBackDays) days of people are taken into account (CUPED) for: "
          + adjusted.map(\.metric.name.readable).joined(separator: ", ") + ".")
    }
    let unknown = design.strata.filter { name in
      report.counts.arms.allSatisfy { arm in
        arm.strata.keys.allSatisfy { $0.name != name || $0.value == ComparisonAccumulator.unknown }
      }
    }
    if !unknown.isEmpty, report.counts.people > 0 {
      notes.append(
        "No event that puts people into arms has these strata in its data, as a text, a whole number, true "
          + "or false: " + unknown.map(\.readable).joined(separator: ", ") + ".")
    }
    if report.metrics.contains(where: { $0.metric.isShare && $0.metric.base != nil }) {
      notes.append(
        "A share of those who did something compares different people if an arm changes who does it."
      )
    }
    return notes + reversals
  }

  /// Whether the intervals of a difference that is not seen disagree. One that is seen has its own sentence
  /// for that.
  private var hasOpenDisagreement: Bool {
    report.metrics.flatMap(\.comparisons).contains { comparison in
      comparison.intervalsDisagree && comparison.verdict(at: design.significance) == .open
    }
  }

  /// What is left out beside the lift.
  private var outcomes: [String] {
    guard report.checks.outcomesReason != nil else { return [] }
    return [
      "What people did in each arm is withheld, too: the lift could be read from it. "
        + (report.checks.isEarly
          ? "It is shown with the lift."
          : "Assignments, exposures and requests are shown, to find the fault by.")
    ]
  }

  private var people: [String] {
    let counts = report.counts
    var notes: [String] = []
    if counts.peopleInSeveralArms > 0 {
      notes.append(
        Self.people(counts.peopleInSeveralArms)
          + (design.isExperiment
            ? " in several arms: left out. An experiment puts each person into one: see that all devices "
              + "know the person by one id, and one plan."
            : " received from several providers: counted in the funnels, and left out of the figures.")
      )
    }
    if counts.peopleInUnknownArms > 0 {
      notes.append(
        Self.people(counts.peopleInUnknownArms)
          + " in an arm that the plan does not have\(unknownArms): left out.")
    }
    return notes + [otherVersions].compactMap(\.self)
  }

  /// The versions that people had who were in another one.
  private var otherVersions: String? {
    let found = report.counts.otherVersions.sorted().map(\.readable)
    guard !found.isEmpty, case .experiment(_, let version) = design.split else { return nil }
    let noun = found.count == 1 ? "version" : "versions"
    return "The plan is of version \(version); there are events of \(noun) "
      + found.prefix(Self.shownArms).joined(separator: ", ")
      + (found.contains("\"\(version)\"") ? ". A version is a number, without quotes." : ".")
  }

  /// The arms that the plan does not have, in brackets.
  private var unknownArms: String {
    let names = report.counts.unknownArms.sorted().map { "\"\($0.readable)\"" }
    guard !names.isEmpty else { return "" }
    let others = names.count - Self.shownArms
    return " (" + names.prefix(Self.shownArms).joined(separator: ", ")
      + (others > 0 ? " and \(Figure.count(others)) more)" : ")")
  }

  /// More arms and versions are not named.
  private static let shownArms = 5

  /// What the table of figures does not have.
  private var figures: [String] {
    var notes: [String] = []
    let counts = report.counts.arms
    let empty = counts.indices.filter { counts[$0].metrics.allSatisfy { $0.people == 0 } }
    if !empty.isEmpty {
      let reason = design.isExperiment ? "nobody is in it" : "nobody received from it alone"
      let names = empty.map { name(of: $0) }.joined(separator: ", ")
      notes.append("No figures, since \(reason): \(names).")
    }
    let unread = counts.indices.filter { report.counts.hasUncountedMessages(in: $0) }
    if !unread.isEmpty {
      notes.append(
        "\(unread.map { name(of: $0) }.joined(separator: ", ")): messages were read or opened, which is no "
          + "impression and no click. The metrics \"open\" and \"read\" count that: name them with --metric, "
          + "or in \"metrics\" of the plan.")
    }
    if !design.isExperiment, counts.contains(where: { $0.events[.optOut, default: 0] > 0 }) {
      notes.append("An opt-out counts for each provider from which the person had received before.")
    }
    if report.source.since != nil, counts.indices.contains(where: report.counts.hasReceipts) {
      notes.append(
        "What was delivered before this time counts, too, also among the events: it was there to be "
          + "seen.")
    }
    for index in counts.indices
    where counts[index].rejected > 0 && report.checks.outcomesReason == nil {
      let rejected = counts[index].rejected
      notes.append(
        "\(name(of: index)): \(Figure.count(rejected)) \(rejected == 1 ? "action was" : "actions were") "
          + "rejected by a vendor, and count: people did them. The event log has outbox.dropped for them."
      )
    }
    if report.metrics.flatMap(\.rates).contains(where: { $0.value?.interval.reason != nil }) {
      notes.append(
        "A figure has no interval where all people of "
          + "\(design.isExperiment ? "an arm" : "a provider") did the same.")
    }
    return notes
  }

  /// Which events of a provider are missing, where no other note says why.
  private var missingKinds: [String] {
    report.counts.arms.indices.compactMap { arm in
      guard !report.counts.hasUncountedMessages(in: arm) else { return nil }
      var kinds: [String] = []
      for metric in report.metrics {
        guard let kind = report.counts.unrecordedKind(of: metric.metric, in: arm),
          report.counts.isRecordedAnywhere(kind), !kinds.contains(kind.rawValue)
        else { continue }
        kinds.append(kind.rawValue)
      }
      guard !kinds.isEmpty else { return nil }
      let isOne = kinds.count == 1
      return "\(name(of: arm)): \(kinds.map { "no \($0)" }.joined(separator: " and ")) is recorded"
        + (report.source.isBounded ? " in this time" : "")
        + ", so that \(isOne ? "its metric is" : "their metrics are") not compared. Either the "
        + "application does not report \(isOne ? "it" : "them"), or the export has left "
        + "\(isOne ? "it" : "them") out (--kind). Choose metrics that all providers have with --metric."
    }
  }

  /// Which kinds of events are missing everywhere, where no other note says why.
  private var kindsOfNobody: [String] {
    let areRead = report.counts.arms.indices.contains { report.counts.hasUncountedMessages(in: $0) }
    var kinds: [String] = []
    for metric in report.metrics {
      guard let kind = report.counts.unrecordedKind(of: metric.metric, in: design.control),
        !report.counts.isRecordedAnywhere(kind), !kinds.contains(kind.rawValue),
        !areRead || ![.impression, .click].contains(kind)
      else { continue }
      kinds.append(kind.rawValue)
    }
    guard !kinds.isEmpty else { return [] }
    return [
      "Nobody has an event \(Self.list(kinds, "or")), so that there is no figure of "
        + "\(kinds.count == 1 ? "it" : "them"). Either nobody did that, or the application does not report "
        + "it, or the export has left it out (--kind)."
    ]
  }

  /// The providers whose events have no day in common with those of the control.
  private func times(apart arms: [ArmCounts]) -> [String] {
    func range(_ arm: Int) -> ClosedRange<Int>? {
      let days = arms[arm].days.keys
      guard let first = days.min(), let last = days.max() else { return nil }
      return first...last
    }
    func text(_ range: ClosedRange<Int>) -> String {
      range.count == 1
        ? "of \(Figure.day(range.lowerBound))"
        : "from \(Figure.day(range.lowerBound)) to \(Figure.day(range.upperBound))"
    }
    guard !design.isExperiment, let control = range(design.control) else { return [] }
    return design.treatments.compactMap { arm in
      guard let range = range(arm), !range.overlaps(control) else { return nil }
      return
        "The events of \(name(of: design.control)) are \(text(control)), those of \(name(of: arm)) "
        + "\(text(range)): no day has both, so that a difference may be one between the times. Add files "
        + "of days on which both sent, or let a route split the people: see \"engage experiment plan\"."
    }
  }

  private static func people(_ count: Int) -> String {
    count == 1 ? "1 person" : "\(Figure.count(count)) people"
  }

  private var reversals: [String] {
    report.metrics.flatMap { metric in
      metric.comparisons.flatMap { comparison in
        comparison.reversedBy.map { stratum in
          "\(metric.metric.name.readable), \(name(of: comparison.arm)): the strata of "
            + "\(stratum.readable) all say the opposite of their sum (Simpson's paradox). Decide by the strata, "
            + "and find why the arms have them in unlike shares."
        }
      }
    }
  }

  /// All as a plain text.
  var text: String {
    var lines = [title, method, ""]
    lines += summary
    lines += conclusions.map { "\($0.subject): \($0.sentence)" }
    lines += notes.map { "Note: \($0)" }
    for table in ComparisonTables(report: report).all { lines += [""] + table.lines }
    return lines.map { $0.cleaned() }.joined(separator: "\n") + "\n"
  }
}

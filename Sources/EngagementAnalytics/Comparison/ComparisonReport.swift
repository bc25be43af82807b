public import EngagementModel
public import EngagementPlatform

/// What follows from the counts of a comparison. A figure that cannot be trusted is not there; a
/// sentence in its place says why.
public struct ComparisonReport: Hashable, Sendable {
  let counts: ComparisonCounts
  let time: Date
  let checks: ComparisonChecks
  let metrics: [MetricReport]
  let source: Source

  /// What is known of the events that were counted.
  public struct Source: Hashable, Sendable {
    /// Nil for the first events that there are.
    public var since: Date?
    /// Nil for the last ones.
    public var until: Date?
    /// What a reader has to know, such as that a file could not be read.
    public var notes: [String]

    public init(since: Date? = nil, until: Date? = nil, notes: [String] = []) {
      (self.since, self.until, self.notes) = (since, until, notes)
    }

    var isBounded: Bool { since != nil || until != nil }
  }

  /// - Parameter time: When it is looked at.
  public init(_ counts: ComparisonCounts, at time: Date, of source: Source = Source()) {
    self.counts = counts
    self.time = time
    self.source = source
    checks = ComparisonChecks(counts, at: time)
    let reader = MetricReader(counts: counts, checks: checks, isBounded: source.isBounded)
    metrics = Self.corrected(counts.design.metrics.indices.map { reader.report(of: $0) })
  }

  var design: ComparisonDesign { counts.design }

  /// Why no difference between the arms is told; empty if they are.
  public var withheld: [String] { checks.withheld }

  /// The tables, for a terminal that lays them out.
  public var tables: [ComparisonTable] { ComparisonTables(report: self).all }

  /// What was compared.
  public var title: String { ComparisonSentences(report: self).title }

  /// How it was compared.
  public var method: String { ComparisonSentences(report: self).method }

  /// What it concludes, in sentences.
  public var sentences: [String] {
    let sentences = ComparisonSentences(report: self)
    return sentences.summary + sentences.conclusions.map { "\($0.subject): \($0.sentence)" }
      + sentences.notes
  }

  /// All of it as a plain text.
  public var text: String { ComparisonSentences(report: self).text }

  /// All of it as JSON, with the figures unrounded.
  public var json: JSONObject { ComparisonJSON(report: self).object }

  /// A page that needs nothing else: HTML with its style and charts, and no script.
  public var html: String { ComparisonPage(report: self).html }

  /// Raises the probabilities that decide, by Holm. A difference that is withheld was planned, too, and
  /// counts as one that chance explains.
  private static func corrected(_ reports: [MetricReport]) -> [MetricReport] {
    let all = reports.flatMap(\.comparisons).map { $0.difference.value?.probability ?? 1 }
    var adjusted = Holm.adjusted(all)[...]
    var reports = reports
    for metric in reports.indices {
      for index in reports[metric].comparisons.indices {
        let probability = adjusted.popFirst()
        guard var difference = reports[metric].comparisons[index].difference.value else { continue }
        difference.adjustedProbability = probability
        reports[metric].comparisons[index].difference = .known(difference)
      }
    }
    return reports
  }
}

/// What follows for one metric.
struct MetricReport: Hashable, Sendable {
  let metric: ComparisonMetric
  /// The figure of each arm.
  let rates: [Conclusion<MeasuredFigure>]
  /// Of each arm but the control.
  var comparisons: [MetricComparison]
}

/// One arm beside the control.
struct MetricComparison: Hashable, Sendable {
  /// Its index in the design.
  let arm: Int
  /// Of all who were assigned: what decides.
  var difference: Conclusion<MeasuredDifference>
  /// Whether the people's past was used for it (CUPED).
  let usesPast: Bool
  /// The same without their past.
  let unadjusted: Conclusion<MeasuredDifference>
  /// Of those who were exposed.
  let exposed: Conclusion<MeasuredDifference>
  let strata: [StratumDifference]
  /// The strata in whose sum the difference has the opposite sign (Simpson's paradox).
  let reversedBy: [String]

  /// Whether one of the intervals contains zero and the other one does not.
  var intervalsDisagree: Bool {
    guard let difference = difference.value, let absolute = difference.absolute.interval.value,
      let relative = difference.relative.value?.interval.value
    else { return false }
    return absolute.contains(0) != relative.contains(0)
  }

  enum Verdict: String {
    case above, below
    /// No difference is seen; there may be one.
    case open
  }

  /// What Holm's correction decides; nil if the difference is withheld.
  func verdict(at significance: Double) -> Verdict? {
    guard let difference = difference.value else { return nil }
    guard (difference.adjustedProbability ?? 1) < significance else { return .open }
    return difference.absolute.value > 0 ? .above : .below
  }
}

/// The difference among the people of one stratum.
struct StratumDifference: Hashable, Sendable {
  let stratum: ArmCounts.Stratum
  /// In both arms.
  let people: Int
  let difference: Conclusion<MeasuredDifference>
}

/// Reads the figures of one metric after the other.
private struct MetricReader {
  let counts: ComparisonCounts
  let checks: ComparisonChecks
  /// Whether some events were left out by their time.
  let isBounded: Bool

  private var design: ComparisonDesign { counts.design }
  private var method: ComparisonMethod { ComparisonMethod(design: design) }
  private var control: ArmCounts { counts.arms[design.control] }

  func report(of metric: Int) -> MetricReport {
    let rates = counts.arms.enumerated().map { index, arm in
      guarded(checks.outcomesReason ?? absence(of: metric, in: index)) {
        method.rate(arm.metrics[metric], of: design.metrics[metric], in: index)
      }
    }
    return MetricReport(
      metric: design.metrics[metric], rates: rates,
      comparisons: design.treatments.map { comparison(of: metric, in: $0) })
  }

  private func comparison(of metric: Int, in arm: Int) -> MetricComparison {
    let (treatment, control) = (counts.arms[arm].metrics[metric], control.metrics[metric])
    let unadjusted = guarded(
      checks.reason ?? absence(of: metric, in: arm) ?? absence(of: metric, in: design.control)
    ) {
      method.difference(treatment, in: arm, from: control, of: design.metrics[metric])
    }
    let adjusted = adjustedDifference(of: metric, in: arm)
    let exposed = guarded(checks.reason ?? checks.exposedReason) {
      method.difference(
        counts.arms[arm].exposedMetrics[metric], in: arm,
        from: self.control.exposedMetrics[metric], of: design.metrics[metric])
    }
    let strata = strata(of: metric, in: arm)
    return MetricComparison(
      arm: arm, difference: adjusted.map { .known($0) } ?? unadjusted, usesPast: adjusted != nil,
      unadjusted: unadjusted, exposed: exposed,
      strata: strata, reversedBy: design.strata.filter { isReversed(unadjusted, strata, by: $0) })
  }

  /// Nil where the people's past says nothing of the metric, or is not to be used.
  private func adjustedDifference(of metric: Int, in arm: Int) -> MeasuredDifference? {
    let (treatment, control) = (counts.arms[arm].metrics[metric], control.metrics[metric])
    guard checks.reason == nil, design.lookBackDays > 0, design.metrics[metric].base == nil,
      [treatment, control].contains(where: { $0.valuesAndPast.second.variance > 0 })
    else { return nil }
    return method.adjustedDifference(
      treatment, in: arm, from: control, of: design.metrics[metric]
    ).value
  }

  /// Why nothing is told of what a provider's events have not.
  private func absence(of metric: Int, in arm: Int) -> String? {
    counts.unrecordedKind(of: design.metrics[metric], in: arm).map { kind in
      "No \(kind.rawValue)"
        + (counts.isRecordedAnywhere(kind) ? " of \(design.arms[arm].name.readable)" : "")
        + " is recorded"
        + (isBounded ? " in this time." : ".")
    }
  }

  private func guarded<Value>(
    _ reason: String?, _ conclusion: () -> Conclusion<Value>
  ) -> Conclusion<Value> {
    reason.map { .withheld($0) } ?? conclusion()
  }

  /// Those with most people first.
  private func strata(of metric: Int, in arm: Int) -> [StratumDifference] {
    let treatment = counts.arms[arm].strata
    let strata = Set(treatment.keys).union(control.strata.keys).map { stratum in
      let (t, c) = (
        treatment[stratum]?[metric] ?? MetricSums(),
        control.strata[stratum]?[metric] ?? MetricSums()
      )
      return StratumDifference(
        stratum: stratum, people: t.people + c.people,
        difference: guarded(checks.reason) {
          method.difference(t, in: arm, from: c, of: design.metrics[metric])
        })
    }
    return strata.sorted {
      ($1.people, $0.stratum) < ($0.people, $1.stratum)
    }
  }

  /// Whether the difference has the opposite sign in every stratum.
  private func isReversed(
    _ difference: Conclusion<MeasuredDifference>, _ strata: [StratumDifference], by name: String
  ) -> Bool {
    guard let overall = difference.value?.absolute.value else { return false }
    let differences = strata.filter { $0.stratum.name == name }.map {
      $0.difference.value?.absolute.value
    }
    return differences.count > 1
      && differences.allSatisfy { difference in difference.map { overall * $0 < 0 } ?? false }
  }
}

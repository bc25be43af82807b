import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A report as JSON. A figure that is withheld is an object with the reason.
struct ComparisonJSON {
  let report: ComparisonReport

  private var design: ComparisonDesign { report.design }
  private var counts: ComparisonCounts { report.counts }

  var object: JSONObject {
    let sentences = ComparisonSentences(report: report)
    func time(_ date: Date?) -> JSON {
      date.flatMap { ISO8601.text(of: $0) }.map { .string($0) } ?? .null
    }
    var object: JSONObject = [:]
    switch design.split {
    case .experiment(let name, let version):
      object["experiment"] = .string(name)
      object["version"] = .integer(Int64(version))
    case .providers: object["providers"] = .array(design.arms.map { .string($0.name) })
    }
    object["people"] = integer(counts.people)
    object["time"] = time(report.time)
    object["since"] = time(report.source.since)
    object["until"] = time(report.source.until)
    object["control"] = .string(design.arms[design.control].name)
    object["schedule"] = schedule
    object["significance"] = .number(design.significance)
    object["lookBackDays"] = integer(design.lookBackDays)
    object["summary"] = .array(sentences.summary.map { .string($0) })
    object["withheld"] = .array(report.withheld.map { .string($0) })
    object["checks"] = .array(report.checks.all.map { .object(json(of: $0)) })
    object["leftOut"] = [
      "inSeveralArms": integer(counts.peopleInSeveralArms),
      "inUnknownArms": integer(counts.peopleInUnknownArms),
      "inOtherVersions": integer(counts.peopleInOtherVersions),
    ]
    object["notes"] = .array(sentences.notes.map { .string($0) })
    object["arms"] = .array(counts.arms.indices.map { .object(arm($0)) })
    object["metrics"] = .array(report.metrics.indices.map { .object(metric($0)) })
    return object
  }

  private func integer(_ value: Int) -> JSON { .integer(Int64(value)) }

  private var schedule: JSON {
    switch design.schedule {
    case .fixed(let people, let end):
      let day = end.flatMap { ISO8601.text(of: $0) }
      return [
        "method": "fixed", "people": integer(people), "end": day.map { .string($0) } ?? .null,
      ]
    case .anytime(let people): return ["method": "anytime", "expectedPeople": integer(people)]
    case .unplanned: return ["method": "unplanned"]
    }
  }

  private func json(of check: ComparisonCheck) -> JSONObject {
    var object: JSONObject = [
      "name": .string(check.name), "state": .string(check.state.rawValue),
      "sentence": .string(check.sentence),
    ]
    let ratio =
      check == report.checks.split
      ? report.checks.splitRatio
      : check == report.checks.exposedSplit ? report.checks.exposedRatio : nil
    object["statistic"] = ratio.map { .number($0.statistic) }
    object["probability"] = ratio.map { .number($0.probability) }
    return object
  }

  private func arm(_ index: Int) -> JSONObject {
    let arm = counts.arms[index]
    var events = JSONObject()
    for (kind, count) in arm.events.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      events[kind.rawValue] = integer(count)
    }
    var object: JSONObject = ["name": .string(design.arms[index].name)]
    if design.isExperiment { object["plannedShare"] = .number(design.arms[index].share) }
    object["people"] = integer(arm.assigned)
    if design.isExperiment { object["exposed"] = integer(arm.exposed) }
    object["delivered"] = outcome(people(at: .delivered, in: index))
    object["seen"] = outcome(people(at: .seen, in: index))
    object["clicked"] = outcome(people(at: .clicked, in: index))
    object["events"] = outcome(.object(events))
    object["requests"] = [
      "count": integer(arm.requests.requests), "failures": integer(arm.requests.failures),
      "timed": integer(arm.requests.timed), "milliseconds": integer(arm.requests.milliseconds),
      "half": arm.requests.bound(keptBy: 0.5).map(integer) ?? .null,
      "most": arm.requests.bound(keptBy: 0.95).map(integer) ?? .null,
    ]
    object["log"] = ["written": integer(arm.log.denominator), "lost": integer(arm.log.numerator)]
    return object
  }

  /// What people did, or why it is withheld.
  private func outcome(_ value: JSON) -> JSON {
    report.checks.outcomesReason.map { ["withheld": .string($0)] } ?? value
  }

  /// Null where the step is not recorded.
  private func people(at step: FunnelStep, in arm: Int) -> JSON {
    counts.people(at: step, in: arm).map(integer) ?? .null
  }

  private func metric(_ index: Int) -> JSONObject {
    let metric = report.metrics[index]
    let arms = metric.rates.enumerated().map { arm, rate -> JSON in
      let sums = counts.arms[arm].metrics[index]
      return [
        "arm": .string(design.arms[arm].name), "people": integer(sums.people),
        "numerator": outcome(integer(sums.numerator)),
        "denominator": outcome(integer(sums.denominator)),
        "figure": json(of: rate) { json(of: $0) },
      ]
    }
    let isTold = report.checks.outcomesReason == nil
    let points = isTold ? ComparisonSeries(of: index, in: counts).points : []
    let days = points.map { point -> JSON in
      let figures = point.figures.map { figure -> JSON in figure.map { .number($0) } ?? .null }
      return ["day": .string(Figure.day(point.day)), "figures": .array(figures)]
    }
    return [
      "name": .string(metric.metric.name), "explanation": .string(metric.metric.explanation),
      "arms": .array(arms), "days": .array(days),
      "comparisons": .array(metric.comparisons.map { .object(json(of: $0)) }),
    ]
  }

  private func json(of comparison: MetricComparison) -> JSONObject {
    let strata = comparison.strata.map { stratum -> JSON in
      [
        "name": .string(stratum.stratum.name), "value": .string(stratum.stratum.value),
        "people": integer(stratum.people),
        "difference": json(of: stratum.difference) { json(of: $0) },
      ]
    }
    var object: JSONObject = [
      "arm": .string(design.arms[comparison.arm].name), "usesPast": .bool(comparison.usesPast),
      "verdict": comparison.verdict(at: report.design.significance).map { .string($0.rawValue) }
        ?? .null,
      "difference": json(of: comparison.difference) { json(of: $0) },
      "withoutPast": json(of: comparison.unadjusted) { json(of: $0) },
    ]
    if design.isExperiment {
      object["exposed"] = json(of: comparison.exposed) { json(of: $0) }
    }
    object["strata"] = .array(strata)
    object["reversedBy"] = .array(comparison.reversedBy.map { .string($0) })
    return object
  }

  private func json(of difference: MeasuredDifference) -> JSON {
    var object: JSONObject = [
      "absolute": json(of: difference.absolute),
      "relative": json(of: difference.relative) { json(of: $0) },
      "probability": .number(difference.probability),
      "leastVisible": .number(difference.leastVisible),
    ]
    object["adjustedProbability"] = difference.adjustedProbability.map { .number($0) }
    return .object(object)
  }

  private func json(of figure: MeasuredFigure) -> JSON {
    [
      "value": .number(figure.value),
      "interval": json(of: figure.interval) {
        [.number($0.lowerBound), .number($0.upperBound)]
      },
    ]
  }

  private func json<Value>(of conclusion: Conclusion<Value>, _ json: (Value) -> JSON) -> JSON {
    switch conclusion {
    case .known(let value): json(value)
    case .withheld(let reason): ["withheld": .string(reason)]
    }
  }
}

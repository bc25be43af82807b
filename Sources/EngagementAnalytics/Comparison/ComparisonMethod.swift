import EngagementModel
import EngagementPlatform

/// How the figures of a design are drawn from sums.
struct ComparisonMethod {
  let design: ComparisonDesign

  /// The probability with which the least visible difference is seen.
  static let power = 0.8

  /// An arm's figure with its interval.
  func rate(_ sums: MetricSums, of metric: ComparisonMetric, in arm: Int) -> Conclusion<
    MeasuredFigure
  > {
    conclude { () throws(EngagementError) in
      let sample = try sums.figure(of: design.arms[arm].name.readable)
      let most = metric.isShare ? 1 : Double.infinity
      func bounded(_ value: Double) -> Double { min(max(value, 0), most) }
      return MeasuredFigure(
        value: sample.mean,
        interval: conclude { () throws(EngagementError) in
          let estimate = Estimate(
            value: sample.mean, standardError: sample.varianceOfMean.squareRoot(),
            degreesOfFreedom: Double(sample.count - 1), count: sample.count)
          guard let estimate else {
            throw EngagementError(
              .invalidArgument, "All who count in the arm did the same, so there is no interval.")
          }
          let interval = try estimate.interval(
            method(for: [arm]), significance: design.significance)
          return bounded(interval.lowerBound)...bounded(interval.upperBound)
        })
    }
  }

  /// What the people of an arm differ by, with nothing taken from their past.
  func difference(
    _ treatment: MetricSums, in arm: Int, from control: MetricSums, of metric: ComparisonMetric
  ) -> Conclusion<MeasuredDifference> {
    conclude { () throws(EngagementError) in
      try requireEnough(treatment, in: arm, control, of: metric)
      let difference = try Difference(
        of: treatment.figure(of: design.arms[arm].name.readable),
        from: control.figure(of: design.arms[design.control].name.readable))
      return try measured(difference, in: arm, isShare: metric.isShare)
    }
  }

  /// The same, less what the people's past explains.
  func adjustedDifference(
    _ treatment: MetricSums, in arm: Int, from control: MetricSums, of metric: ComparisonMetric
  ) -> Conclusion<MeasuredDifference> {
    conclude { () throws(EngagementError) in
      try requireEnough(treatment, in: arm, control, of: metric)
      let arms = PairedSample.adjusted(
        treatment: treatment.valuesAndPast, control: control.valuesAndPast)
      return try measured(
        Difference(of: arms.treatment, from: arms.control), in: arm, isShare: metric.isShare)
    }
  }

  /// So many people of each arm have to be expected to do what a share counts, and as many not to. With
  /// fewer, the normal distribution tells differences that are none.
  static let leastExpected = 10

  /// So many people of each arm have to count by what a metric is divided by.
  static let leastBased = 30

  private func requireEnough(
    _ treatment: MetricSums, in arm: Int, _ control: MetricSums, of metric: ComparisonMetric
  ) throws(EngagementError) {
    let arms = [(treatment, arm), (control, design.control)]
    // Another sentence tells of an arm in which no person counts.
    guard arms.allSatisfy({ $0.0.denominator > 0 }) else { return }
    guard metric.isShare else { return try requireEvents(in: arms, of: metric) }
    let who = metric.base.map { "people with \($0.rawValue)" } ?? "people"
    let people = treatment.denominator + control.denominator
    let did = treatment.numerator + control.numerator
    guard did > 0, did < people else {
      throw EngagementError(
        .invalidArgument,
        did == 0
          ? "Nobody did it, or the export left it out: there is nothing to compare."
          : "Everybody did it, so that there is nothing to compare.")
    }
    for (sums, arm) in arms {
      let expected = Double(min(did, people - did)) * Double(sums.denominator) / Double(people)
      guard expected < Double(Self.leastExpected) else { continue }
      throw EngagementError(
        .invalidArgument,
        "Too few people to compare: without a difference \(Int(expected)) of the "
          + "\(Figure.count(sums.denominator)) \(who) of \"\(design.arms[arm].name.readable)\" would "
          + "\(did * 2 > people ? "not " : "")do it, and a test needs \(Self.leastExpected).")
    }
  }

  /// The same for events. People with many of them say less than as many people with a few.
  private func requireEvents(
    in arms: [(sums: MetricSums, arm: Int)], of metric: ComparisonMetric
  ) throws(EngagementError) {
    func require(
      _ least: Int, _ kind: EngagementEvent.Kind, _ count: (MetricSums) -> Double
    ) throws(EngagementError) {
      for (sums, arm) in arms where count(sums) < Double(least) {
        throw EngagementError(
          .invalidArgument,
          "Too few people to compare: of \"\(design.arms[arm].name.readable)\" those with \(kind.rawValue) "
            + "count as \(Int(count(sums))), and a test needs \(least).")
      }
    }
    if let base = metric.base { try require(Self.leastBased, base, \.peopleOfDenominator) }
    let all = arms.map(\.sums)
    let people = all.reduce(0) { $0 + $1.peopleOfNumerator }
    let base = all.reduce(0) { $0 + $1.peopleOfDenominator }
    try require(Self.leastExpected, metric.kind) { people * $0.peopleOfDenominator / base }
  }

  private func measured(
    _ difference: Difference, in arm: Int, isShare: Bool
  ) throws(EngagementError) -> MeasuredDifference {
    let method = method(for: [arm, design.control])
    let (absolute, significance) = (difference.absolute, design.significance)
    let whole = try absolute.interval(method, significance: significance)
    // Two shares differ by no more than one.
    let interval =
      isShare ? max(whole.lowerBound, -1)...min(whole.upperBound, 1) : whole
    // Holm is most strict for the clearest difference.
    let bound = try absolute.bound(
      method, significance, exceededWith: significance / Double(design.comparisons))
    return MeasuredDifference(
      absolute: MeasuredFigure(value: absolute.value, interval: .known(interval)),
      relative: conclude { () throws(EngagementError) in
        guard let relative = difference.relative else {
          throw EngagementError(
            .invalidArgument,
            difference.isFromZero
              ? "The control's figure is zero: there is no relative difference."
              : "The figure of \"\(design.arms[arm].name.readable)\" is zero: no interval can be told "
                + "of a relative difference.")
        }
        let interval = try relative.interval(method, significance: significance)
        // Nothing is less than none. The delta method does not know that.
        let least = max(interval.lowerBound, min(relative.value, -1))
        return MeasuredFigure(value: relative.value, interval: .known(least...interval.upperBound))
      },
      probability: try absolute.probability(method, significance: significance),
      leastVisible: absolute.standardError
        * (bound + NormalDistribution.quantile(Self.power)))
  }

  /// An anytime-valid sequence expects the people of the arms that are looked at.
  private func method(for arms: [Int]) -> Estimate.Method {
    switch design.schedule {
    case .fixed, .unplanned: return .fixed
    case .anytime(let people):
      let share = arms.reduce(0) { $0 + design.arms[$1].share }
      return .anytime(expectedCount: max(1, Int(min(Double(people) * share, 1e15))))
    }
  }
}

/// The value, or the message of the error.
func conclude<Value>(_ compute: () throws(EngagementError) -> Value) -> Conclusion<Value> {
  do throws(EngagementError) { return .known(try compute()) } catch {
    return .withheld(error.message)
  }
}

extension MetricSums {
  /// As how many people those count who have x, by Kish: those of one value each as many as they are.
  fileprivate var peopleOfNumerator: Double { Self.people(numerator, numeratorSquares) }

  /// The same of y.
  fileprivate var peopleOfDenominator: Double { Self.people(denominator, denominatorSquares) }

  private static func people(_ sum: Int, _ squares: Int) -> Double {
    squares > 0 ? Double(sum) * Double(sum) / Double(squares) : 0
  }

  /// The arm's figure, as if it were a value for each person.
  func figure(of arm: String) throws(EngagementError) -> Sample {
    guard people > 0 else {
      throw EngagementError(.invalidArgument, "Arm \"\(arm)\" has no people.")
    }
    guard denominator != 0 else {
      throw EngagementError(
        .invalidArgument, "Arm \"\(arm)\" has nothing that the metric could be divided by.")
    }
    return try values.ratio()
  }
}

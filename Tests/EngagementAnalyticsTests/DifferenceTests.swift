import EngagementModel
import TestSupport
import Testing

@testable import EngagementAnalytics

@Suite("differences between arms") struct DifferenceTests {
  private func expect(
    _ value: Double, _ expected: Double, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      abs(value - expected) <= 1e-9 * max(1, abs(expected)), "\(value) is not \(expected)",
      sourceLocation: location)
  }

  /// The expected figures are those of SciPy's `ttest_ind(equal_var=False)`.
  @Test("X12: Welch's interval of a difference")
  func welch() throws {
    let treatment = Sample([3, 5, 4, 8, 10.0])
    let control = Sample([1, 2, 2, 3, 4, 2.5])
    expect(treatment.mean, 6)
    expect(treatment.variance, 8.5)
    let estimate = try Difference(of: treatment, from: control).absolute
    expect(estimate.value, 3.5833333333333335)
    expect(estimate.degreesOfFreedom, 4.818507740905396)
    expect(try estimate.probability(), 0.048954325144411476)
    let interval = try estimate.interval()
    expect(interval.lowerBound, 0.024484724284393078)
    expect(interval.upperBound, 7.142181942382274)
  }

  @Test("X12: a relative difference has the error of the delta method")
  func relative() throws {
    let difference = try Difference(of: Sample(550, of: 10_000), from: Sample(500, of: 10_000))
    let relative = try #require(difference.relative)
    expect(relative.value, 0.1)
    let (t, c) = (Sample(550, of: 10_000).variance, Sample(500, of: 10_000).variance)
    let variance = c * 0.055 * 0.055 / (0.05 * 0.05 * 0.05 * 0.05 * 10_000) + t / (0.0025 * 10_000)
    expect(relative.standardError, variance.squareRoot())
    #expect(try Difference(of: Sample([1, 2]), from: Sample([-1, 1])).relative == nil)
  }

  @Test(
    "X12: the anytime-valid interval is as wide as published",
    arguments: [(500, 3.85505), (5_000, 3.03521), (50_000, 3.24172)])
  func sequence(count: Int, width: Double) throws {
    let sequence = try ConfidenceSequence(expectedCount: 5_000, significance: 0.05)
    #expect(abs(sequence.halfWidth(at: count) - width) < 0.00001)
    // A difference at the edge of the interval has the probability of the significance.
    expect(sequence.probability(of: sequence.halfWidth(at: count), at: count), 0.05)
    #expect(sequence.probability(of: 0, at: count) == 1)
    #expect(sequence.probability(of: 1e200, at: count) == 0)
  }

  @Test("X12: what nothing can be concluded from says why")
  func nothing() {
    let good = Sample([1, 2, 3.0])
    let cases: [(Sample, Sample, String)] = [
      (Sample([]), good, "The treatment has no person"),
      (good, Sample([1]), "The control has one person"),
      (Sample(5, of: 5), Sample(5, of: 5), "All who count in each arm"),
      (Sample(0, of: 9), Sample(0, of: 9), "All who count in each arm"),
      (Sample([.nan, 1]), good, "The treatment's mean or variance is no number"),
      (Sample([.infinity, 1]), good, "The treatment's mean or variance is no number"),
      (Sample([1e160, -1e160]), good, "The treatment's mean or variance is no number"),
    ]
    for (treatment, control, text) in cases {
      let error = #expect(throws: EngagementError.self) {
        try Difference(of: treatment, from: control)
      }
      #expect(error?.message.hasPrefix(text) == true, "\(String(describing: error))")
    }
    #expect(throws: EngagementError.self) {
      try Difference(of: good, from: Sample([2, 4])).absolute.interval(significance: 0)
    }
    #expect(throws: EngagementError.self) {
      try Difference(of: good, from: Sample([2, 4])).absolute.interval(.anytime(expectedCount: 0))
    }
  }

  @Test("X12: a ratio has the variance of the delta method")
  func ratio() throws {
    // Revenue and visits.
    let pairs = [(10.0, 2.0), (0, 1), (30, 5), (12, 2), (7, 1), (0, 3)]
    let sample = try PairedSample(pairs).ratio()
    expect(sample.mean, 4.214285714285714)
    expect(sample.variance, 10.296959600166595)
    #expect(sample.count == 6)
    #expect(throws: EngagementError.self) { try PairedSample([(1, 0.0), (2, 0)]).ratio() }
  }

  /// Values of which most was there before.
  private func arm(_ count: Int, lift: Double, _ random: inout SeededGenerator) -> PairedSample {
    PairedSample(
      (0..<count).map { _ in
        let before = Double.random(in: 0...10, using: &random)
        return (before + lift + Double.random(in: -1...1, using: &random), before)
      })
  }

  @Test("X12: CUPED keeps the difference and narrows its interval")
  func adjusted() throws {
    var random = SeededGenerator(seed: 7)
    let treatment = arm(2_000, lift: 0.1, &random)
    let control = arm(2_000, lift: 0, &random)
    let plain = try Difference(of: treatment.first, from: control.first).absolute
    let arms = PairedSample.adjusted(treatment: treatment, control: control)
    let adjusted = try Difference(of: arms.treatment, from: arms.control).absolute
    #expect(try plain.interval().contains(0), "the values differ too much to see it")
    #expect(try adjusted.interval().contains(0.1) && adjusted.interval().lowerBound > 0.05)
    #expect(adjusted.standardError < plain.standardError / 4)
    // What was the same for everybody explains nothing.
    let constant = PairedSample([(1, 2), (3, 2), (5, 2.0)])
    let same = PairedSample.adjusted(treatment: constant, control: constant)
    #expect(same.treatment == constant.first)
  }

  /// Arms that do not differ, looked at as they grow.
  private func falseAlarms(
    _ method: Estimate.Method, looks: Int, runs: Int
  ) throws -> Double {
    var random = SeededGenerator(seed: 12)
    var alarms = 0
    for _ in 0..<runs {
      var values: ([Double], [Double]) = ([], [])
      for _ in 0..<looks {
        for _ in 0..<50 {
          values.0.append(Double.random(in: 0...1, using: &random))
          values.1.append(Double.random(in: 0...1, using: &random))
        }
        let estimate = try Difference(of: Sample(values.0), from: Sample(values.1)).absolute
        guard try estimate.probability(method) < 0.05 else { continue }
        alarms += 1
        break
      }
    }
    return Double(alarms) / Double(runs)
  }

  @Test("X12: looking again and again makes false alarms, but not in an anytime-valid design")
  func looking() throws {
    let once = try falseAlarms(.fixed, looks: 1, runs: 400)
    #expect((0.02...0.08).contains(once), "\(once)")
    let often = try falseAlarms(.fixed, looks: 20, runs: 150)
    #expect(often > 0.15, "\(often)")
    let anytime = try falseAlarms(.anytime(expectedCount: 2_000), looks: 20, runs: 150)
    #expect(anytime <= 0.05, "\(anytime)")
  }

  @Test("X12: a planted lift is found, and lies in the interval")
  func planted() throws {
    var random = SeededGenerator(seed: 3)
    var (seen, covered) = (0, 0)
    for _ in 0..<100 {
      let (before, after) = (0.2, 0.25)
      let control = (0..<1_100).filter { _ in Double.random(in: 0..<1, using: &random) < before }
      let treatment = (0..<1_100).filter { _ in Double.random(in: 0..<1, using: &random) < after }
      let estimate = try Difference(
        of: Sample(treatment.count, of: 1_100), from: Sample(control.count, of: 1_100)
      ).absolute
      if try estimate.probability() < 0.05 { seen += 1 }
      if try estimate.interval().contains(after - before) { covered += 1 }
    }
    #expect((70...90).contains(seen), "a power of 80 %: \(seen)")
    #expect(covered >= 90, "\(covered)")
  }
}

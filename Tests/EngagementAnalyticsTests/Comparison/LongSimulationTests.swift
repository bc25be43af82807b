import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementAnalytics

/// Experiments of which the truth is known: as many as `SIMULATION_RUNS` says, or a few. With the
/// variable, their rates are printed beside those that other programs and the theory give.
@Suite("many simulated comparisons", .timeLimit(.minutes(60))) struct LongSimulationTests {
  private static let asked = ProcessInfo.processInfo.environment["SIMULATION_RUNS"].flatMap {
    Int($0)
  }
  private static let runs = asked ?? 500

  /// Holds a rate against an expected one, with four standard errors and what binary data may add.
  private func check(_ name: String, _ hits: Int, expected: Double, slack: Double = 0.005) {
    let rate = Double(hits) / Double(Self.runs)
    let error = (expected * (1 - expected) / Double(Self.runs)).squareRoot()
    #expect(abs(rate - expected) <= 4 * error + slack, "\(name): \(rate), not \(expected)")
    guard Self.asked != nil else { return }
    func percent(_ share: Double) -> String { Figure.fixed(share * 100, places: 2) + " %" }
    print(
      "SIMULATION \(Self.runs) runs · \(name): \(percent(rate)) ± \(percent(1.96 * error)), "
        + "expected \(percent(expected))")
  }

  /// Two arms whose people are drawn a day at a time.
  private struct Arms {
    private let draws: [BinomialDraw]
    private(set) var counts: ComparisonCounts

    init(_ chances: [Double], people: Int, _ schedule: ComparisonDesign.Schedule) throws {
      draws = chances.map { BinomialDraw(people: people, chance: $0) }
      counts = ComparisonCounts(try ComparisonFixture(schedule: schedule).design)
    }

    mutating func reset() { counts = ComparisonCounts(counts.design) }

    mutating func grow(_ random: inout SeededGenerator) {
      for (arm, draw) in draws.enumerated() {
        let doers = draw.next(&random)
        counts.arms[arm].metrics[0].add(1, of: 1, people: doers)
        counts.arms[arm].metrics[0].add(0, of: 1, people: draw.people - doers)
      }
    }

    /// All that the report tells.
    func difference() throws -> MeasuredDifference {
      let (control, treatment) = (counts.arms[0].metrics[0], counts.arms[1].metrics[0])
      return try #require(
        ComparisonMethod(design: counts.design)
          .difference(
            treatment, in: 1, from: control, of: counts.design.metrics[0]
          ).value)
    }

    /// The difference alone.
    func estimate() throws -> Estimate {
      try Difference(
        of: counts.arms[1].metrics[0].figure(of: "B"),
        from: counts.arms[0].metrics[0].figure(of: "A")
      ).absolute
    }
  }

  @Test("X12: false alarms of arms that do not differ, looking once, 7, 14 and 28 times")
  func falseAlarms() throws {
    let (looks, people) = ([1, 7, 14, 28], 50)
    var arms = try Arms([0.3, 0.3], people: people, .fixed(people: 2_800))
    var (fixedAlarms, anytimeAlarms) = ([0, 0, 0, 0], [0, 0, 0, 0])
    var random = SeededGenerator(seed: 15)
    for _ in 0..<Self.runs {
      arms.reset()
      var (isFixed, isAnytime) = ([false, false, false, false], [false, false, false, false])
      for day in 1...28 {
        arms.grow(&random)
        let estimate = try arms.estimate()
        let fixed = try estimate.probability(.fixed) < 0.05
        let sequence = try estimate.probability(.anytime(expectedCount: 2_800)) < 0.05
        for (place, count) in looks.enumerated() where day.isMultiple(of: 28 / count) {
          isFixed[place] = isFixed[place] || fixed
          isAnytime[place] = isAnytime[place] || sequence
        }
      }
      for place in looks.indices {
        fixedAlarms[place] += isFixed[place] ? 1 : 0
        anytimeAlarms[place] += isAnytime[place] ? 1 : 0
      }
    }
    // With 20,000 runs of another program.
    for (place, expected) in [0.0496, 0.164, 0.217, 0.269].enumerated() {
      check("A/A, fixed, looks \(looks[place])", fixedAlarms[place], expected: expected)
    }
    for (place, expected) in [0.002, 0.007, 0.009, 0.011].enumerated() {
      check("A/A, anytime, looks \(looks[place])", anytimeAlarms[place], expected: expected)
    }
  }

  @Test("X12: a planted lift of ten per cent is seen, and its intervals cover it")
  func planted() throws {
    let (rate, lift) = (0.5, 0.1)
    for design in [ExperimentSize.Design.fixed, .anytime] {
      let people = try ExperimentSize(design).peoplePerArm(rate: rate, lift: lift)
      let schedule: ComparisonDesign.Schedule =
        design == .fixed ? .fixed(people: 2 * people) : .anytime(expectedPeople: 2 * people)
      var arms = try Arms([rate, rate * (1 + lift)], people: people, schedule)
      var random = SeededGenerator(seed: 8)
      var (seen, absolute, relative) = (0, 0, 0)
      for _ in 0..<Self.runs {
        arms.reset()
        arms.grow(&random)
        let difference = try arms.difference()
        if difference.probability < 0.05 { seen += 1 }
        if difference.absolute.interval.value?.contains(rate * lift) == true { absolute += 1 }
        if difference.relative.value?.interval.value?.contains(lift) == true { relative += 1 }
      }
      check("planted lift, \(design.rawValue), seen", seen, expected: 0.8, slack: 0.01)
      // One look at a sequence of 3.035 standard errors.
      let covered = design == .fixed ? 0.95 : 0.9976
      check("planted lift, \(design.rawValue), absolute interval", absolute, expected: covered)
      check("planted lift, \(design.rawValue), relative interval", relative, expected: covered)
    }
  }

  @Test("X12: five metrics by Holm: false alarms of any, and the planned power for one")
  func fiveMetrics() throws {
    let (rate, lift) = (0.4, 0.1)
    let people = try ExperimentSize(comparisons: 5).peoplePerArm(rate: rate, lift: lift)
    let schedule = ComparisonDesign.Schedule.fixed(people: 2 * people)
    var plain = try Arms([rate, rate], people: people, schedule)
    var lifted = try Arms([rate, rate * (1 + lift)], people: people, schedule)
    var random = SeededGenerator(seed: 31)
    func probability(_ arms: inout Arms) throws -> Double {
      arms.reset()
      arms.grow(&random)
      return try arms.estimate().probability()
    }
    var (alarms, seen) = (0, 0)
    for _ in 0..<Self.runs {
      let nulls = try (0..<5).map { _ in try probability(&plain) }
      if Holm.adjusted(nulls).contains(where: { $0 < 0.05 }) { alarms += 1 }
      let decided = Holm.adjusted(nulls.dropLast() + [try probability(&lifted)])
      if decided[4] < 0.05 { seen += 1 }
    }
    // 1 - 0.99^5; and a little more power where another metric is a false alarm.
    check("five metrics, any false alarm", alarms, expected: 0.049)
    check("five metrics, planted lift seen", seen, expected: 0.805, slack: 0.01)
  }
}

/// People of whom each does something with the same chance: how many do is drawn at once.
private struct BinomialDraw {
  let people: Int
  /// The probabilities of no more than so many.
  private let sums: [Double]

  init(people: Int, chance: Double) {
    self.people = people
    var sum = 0.0
    sums = (0...people).map { doers in
      let ways =
        logGamma(Double(people + 1)) - logGamma(Double(doers + 1))
        - logGamma(Double(people - doers + 1))
      sum += exp(ways + Double(doers) * log(chance) + Double(people - doers) * log(1 - chance))
      return sum
    }
  }

  func next(_ random: inout SeededGenerator) -> Int {
    let place = Double(random.next() >> 11) * 0x1p-53
    var (low, high) = (0, people)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] > place { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

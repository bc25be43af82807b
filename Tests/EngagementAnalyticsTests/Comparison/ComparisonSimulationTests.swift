import EngagementModel
import TestSupport
import Testing

@testable import EngagementAnalytics

/// Experiments of which the truth is known.
@Suite("simulated comparisons") struct ComparisonSimulationTests {
  private static let later = Epoch2026.date(afterDays: 60)

  /// An experiment that grows, with the rates of clicks in both arms.
  private struct Simulation {
    let rates: [Double]
    let design: ComparisonDesign
    private var counts: ComparisonCounts

    init(_ rates: [Double], _ schedule: ComparisonDesign.Schedule) throws {
      self.rates = rates
      design = try ComparisonFixture(schedule: schedule).design
      counts = ComparisonCounts(design)
    }

    /// Adds people to each arm and looks at the difference.
    mutating func look(
      after people: Int, _ random: inout SeededGenerator
    ) throws -> MeasuredDifference {
      for arm in counts.arms.indices {
        counts.arms[arm].assigned += people
        for _ in 0..<people {
          let clicks = Double(random.next() >> 11) * 0x1p-53 < rates[arm]
          counts.arms[arm].metrics[0].add(clicks ? 1 : 0, of: 1)
        }
      }
      let method = ComparisonMethod(design: design)
      let difference = method.difference(
        counts.arms[1].metrics[0], in: 1, from: counts.arms[0].metrics[0], of: design.metrics[0])
      return try #require(difference.value)
    }
  }

  /// The share of experiments without a difference in which one of the looks shows one.
  private func falseAlarms(
    _ schedule: ComparisonDesign.Schedule, looks: Int, runs: Int
  ) throws -> Double {
    var random = SeededGenerator(seed: 15)
    var alarms = 0
    for _ in 0..<runs {
      var simulation = try Simulation([0.3, 0.3], schedule)
      for _ in 0..<looks where try simulation.look(after: 100, &random).probability < 0.05 {
        alarms += 1
        break
      }
    }
    return Double(alarms) / Double(runs)
  }

  @Test("X12: one look at arms that do not differ is a false alarm in about five of a hundred")
  func oneLook() throws {
    let share = try falseAlarms(.fixed(people: 200), looks: 1, runs: 500)
    #expect((0.03...0.07).contains(share), "\(share)")
  }

  @Test(
    "X12: peeking at a fixed design makes false alarms, and at an anytime-valid one it does not")
  func peeking() throws {
    let fixed = try falseAlarms(.fixed(people: 2_800), looks: 14, runs: 120)
    #expect(fixed > 0.12, "\(fixed)")
    let anytime = try falseAlarms(.anytime(expectedPeople: 2_800), looks: 14, runs: 120)
    #expect(anytime <= 0.05, "\(anytime)")
  }

  @Test("X12: intervals cover the true lift as often as they say")
  func coverage() throws {
    var random = SeededGenerator(seed: 4)
    var (absolute, relative) = (0, 0)
    for _ in 0..<300 {
      var simulation = try Simulation([0.2, 0.22], .fixed(people: 1_000))
      let difference = try simulation.look(after: 500, &random)
      if difference.absolute.interval.value?.contains(0.02) == true { absolute += 1 }
      if difference.relative.value?.interval.value?.contains(0.1) == true { relative += 1 }
    }
    #expect((276...294).contains(absolute), "\(absolute)")
    #expect((276...296).contains(relative), "\(relative)")
  }

  @Test("X12: a planted lift of ten per cent is found with the planned power")
  func power() throws {
    let rate = 0.5
    let people = try ExperimentSize().peoplePerArm(rate: rate, lift: 0.1)
    var random = SeededGenerator(seed: 8)
    var seen = 0
    for _ in 0..<120 {
      var simulation = try Simulation([rate, rate * 1.1], .fixed(people: 2 * people))
      if try simulation.look(after: people, &random).probability < 0.05 { seen += 1 }
    }
    #expect((84...108).contains(seen), "a power of 80 %: \(seen)")
  }

  /// How often the report of five metrics sees a lift that one of them has, by Holm.
  private func powerOfFive(
    _ design: ExperimentSize.Design, runs: Int, comparisons: Int = 5
  ) throws -> Double {
    let (rate, lift) = (0.4, 0.2)
    let size = try ExperimentSize(design, comparisons: comparisons)
    let people = try size.peoplePerArm(rate: rate, lift: lift)
    let schedule: ComparisonDesign.Schedule =
      design == .fixed ? .fixed(people: 2 * people) : .anytime(expectedPeople: 2 * people)
    var random = SeededGenerator(seed: 31)
    var seen = 0
    for _ in 0..<runs {
      var counts = ComparisonCounts(
        try ComparisonFixture(metrics: ComparisonMetric.standard, schedule: schedule).design)
      for arm in 0..<2 {
        counts.arms[arm].assigned = people
        for metric in ComparisonMetric.standard.indices {
          let chance = rate * (arm == 1 && metric == 1 ? 1 + lift : 1)
          let doers = (0..<people).count { _ in Double(random.next() >> 11) * 0x1p-53 < chance }
          counts.arms[arm].metrics[metric].add(1, of: 1, people: doers)
          counts.arms[arm].metrics[metric].add(0, of: 1, people: people - doers)
        }
      }
      let comparison = ComparisonReport(counts, at: Self.later).metrics[1].comparisons[0]
      if try #require(comparison.difference.value?.adjustedProbability) < 0.05 { seen += 1 }
    }
    return Double(seen) / Double(runs)
  }

  @Test("X12: a plan for five metrics sees the lift of one of them with the power it promises")
  func powerOfSeveral() throws {
    let fixed = try powerOfFive(.fixed, runs: 150)
    #expect((0.72...0.9).contains(fixed), "\(fixed)")
    let anytime = try powerOfFive(.anytime, runs: 100)
    #expect((0.7...0.92).contains(anytime), "\(anytime)")
    // Counted for one metric, five of them see less.
    let fewer = try powerOfFive(.fixed, runs: 150, comparisons: 1)
    #expect(fewer < 0.7, "\(fewer)")
  }

  /// Events of people with habits, of whom one half clicks ten per cent more often.
  private func events(_ random: inout SeededGenerator) throws -> ComparisonFixture {
    var fixture = try ComparisonFixture(
      metrics: [
        ComparisonMetric("clicks", .events(.click)), ComparisonMetric("click", .people(.click)),
      ],
      schedule: .fixed(people: 4_000), lookBackDays: 14)
    for person in 0..<4_000 as Range<UInt64> {
      let isTreated = random.chance(50)
      let habit = Double(random.below(10))
      let start = 14 + Double(random.below(14))
      fixture.expose(person, to: isTreated ? "B" : "A", after: start)
      for (days, lift) in [(-7.0, 1.0), (1, isTreated ? 1.1 : 1)] {
        let expected = habit * lift
        let clicks = Int(expected) + (random.chance(Int((expected * 100).rounded()) % 100) ? 1 : 0)
        for _ in 0..<clicks { fixture.add(.click, by: person, after: start + days) }
      }
    }
    return fixture
  }

  @Test("X12: a planted lift comes back from events, and the past of people sharpens it")
  func planted() throws {
    var random = SeededGenerator(seed: 21)
    let report = ComparisonReport(try events(&random).counts(), at: Self.later)
    #expect(report.withheld == [])
    let comparison = report.metrics[0].comparisons[0]
    let (adjusted, plain) = (
      try #require(comparison.difference.value), try #require(comparison.unadjusted.value)
    )
    let interval = try #require(adjusted.relative.value?.interval.value)
    #expect(interval.contains(0.1) && interval.lowerBound > 0.05, "\(interval)")
    #expect(adjusted.probability < 0.0001 && adjusted.leastVisible < plain.leastVisible / 3)
    // As many people click at all.
    #expect(try #require(report.metrics[1].comparisons[0].difference.value).probability > 0.05)
  }
}

import EngagementModel
import Foundation
import Testing

@testable import EngagementAnalytics

@Suite("experiments") struct ExperimentTests {
  @Test(
    "X12: the check of sample ratios",
    arguments: [
      ([44_000, 45_000], 11.235955056, 0.00080228), ([600, 400], 40, 2.53963e-10),
      ([502, 498], 0.016, 0.899343), ([5_150, 4_850], 9, 0.00269980),
      ([1_512_488, 1_487_512], 207.9335, 3.88e-47),
    ])
  func sampleRatio(counts: [Int], statistic: Double, probability: Double) throws {
    let ratio = try SampleRatio(counts, weights: [1, 1])
    #expect(abs(ratio.statistic / statistic - 1) < 1e-6)
    #expect(abs(ratio.probability / probability - 1) < 1e-3)
    #expect(ratio.isSound == (probability >= 0.001))
  }

  @Test("X12: the split need not be even, and its unit does not matter")
  func weights() throws {
    let ratio = try SampleRatio([900, 100], weights: [90, 10])
    #expect(ratio.statistic == 0 && ratio.probability == 1 && ratio.isSound)
    #expect(try SampleRatio([900, 100], weights: [0.5, 0.5]).isSound == false)
    let three = try SampleRatio([100, 110, 90], weights: [1, 1, 1])
    #expect(abs(three.statistic - 2) < 1e-12)
    #expect(abs(three.probability - 0.36787944117144233) < 1e-12)
  }

  @Test(
    "X12: a split that can't be checked says why",
    arguments: [
      ([100], [1], "One arm alone"), ([100, 7], [1, 1], "An arm has 7 people"),
      ([100, 100], [1], "Each arm has a weight"), ([100, 100], [1, 0], "Each arm has a weight"),
      ([100, 100], [1, .infinity], "Each arm has a weight"), ([], [], "One arm alone"),
    ])
  func noRatio(counts: [Int], weights: [Double], text: String) {
    let error = #expect(throws: EngagementError.self) { try SampleRatio(counts, weights: weights) }
    #expect(error?.message.hasPrefix(text) == true, "\(String(describing: error))")
  }

  @Test(
    "X12: how many people an arm needs",
    arguments: [
      (0.05, 0.10, 31_234), (0.05, 0.05, 122_124), (0.02, 0.10, 80_682), (0.20, 0.05, 25_583),
    ])
  func size(rate: Double, lift: Double, people: Int) throws {
    let size = try ExperimentSize()
    #expect(try size.peoplePerArm(rate: rate, lift: lift) == people)
    // The least lift that so many people show is the one that they were counted for.
    let least = try #require(try size.leastLift(rate: rate, peoplePerArm: people))
    #expect(least <= lift && least > lift * 0.999)
    #expect(try size.peoplePerArm(rate: rate, lift: least) <= people)
    // They see it with the power that was asked for.
    let middle = rate * (1 + lift / 2)
    let power = try size.power(
      toSee: rate * lift, variance: middle * (1 - middle), peoplePerArm: people)
    #expect(abs(power - 0.8) < 0.001)
  }

  @Test(
    "X12: a plan asks for so many people that a report of them tells something",
    arguments: [(0.001, 5.0, 4_000), (0.005, 10.0, 467), (0.9, 0.1, 280), (0.5, 0.9, 56)])
  func fewPeople(rate: Double, lift: Double, people: Int) throws {
    let size = try ExperimentSize()
    #expect(try size.peoplePerArm(rate: rate, lift: lift) == people)
    let least = try #require(try size.leastLift(rate: rate, peoplePerArm: people))
    #expect(least <= lift * 1.000001)
    #expect(try size.peoplePerArm(rate: rate, lift: least) <= people)
    let design = try ComparisonDesign(
      experiment: "rare", arms: ComparisonFixture.halves, control: "A",
      metrics: [ComparisonMetric("click", .people(.click))], schedule: .fixed(people: 2 * people))
    var counts = ComparisonCounts(design)
    for (arm, rate) in [rate, rate * (1 + lift)].enumerated() {
      let did = Int((Double(people) * rate).rounded())
      counts.arms[arm].assigned = people
      for person in 0..<people {
        counts.arms[arm].metrics[0].add(person < did ? 1 : 0, of: 1, past: 0)
      }
    }
    let report = ComparisonReport(counts, at: Date(timeIntervalSince1970: 1_800_000_000))
    #expect(report.metrics[0].comparisons[0].difference.value != nil)
    #expect(try size.leastLift(rate: 0.05, peoplePerArm: 5) == nil)
  }

  @Test(
    "X12: a larger lift never needs more people, and what people show is what they were counted for",
    arguments: [0.001, 0.05, 0.2, 0.5, 0.9])
  func inverse(rate: Double) throws {
    let size = try ExperimentSize()
    let room = 1 / rate - 1
    for sign in [-1.0, 1.0] {
      let most = sign > 0 ? room : 1
      let people = try (1..<100).map {
        try size.peoplePerArm(rate: rate, lift: sign * most * Double($0) / 100)
      }
      #expect(people == people.sorted(by: >))
    }
    let fewest = try size.fewestPeoplePerArm(rate: rate)
    #expect(try size.leastLift(rate: rate, peoplePerArm: fewest - 1) == nil)
    for people in [fewest, fewest + 1, 2 * fewest, 100 * fewest] {
      let least = try #require(try size.leastLift(rate: rate, peoplePerArm: people))
      #expect(try size.peoplePerArm(rate: rate, lift: least) <= people)
    }
    for lift in [room / 1_000, room / 10, room / 2, room * 0.99] {
      let people = try size.peoplePerArm(rate: rate, lift: lift)
      let least = try #require(try size.leastLift(rate: rate, peoplePerArm: people))
      #expect(least <= lift * 1.000001)
    }
  }

  @Test("X12: a design that may be looked at at any time needs more people")
  func anytime() throws {
    let size = try ExperimentSize(.anytime)
    let people = try size.peoplePerArm(rate: 0.05, lift: 0.1)
    // The squares of 3.03521 + 0.84162 and of 1.95996 + 0.84162 standard errors.
    #expect(abs(Double(people) / 31_234 / 1.91490 - 1) < 0.0001)
    // In a sequence that expects them, such a lift is seen with the power.
    let sequence = try ConfidenceSequence(expectedCount: 2 * people, significance: 0.05)
    #expect(abs(sequence.halfWidth(at: 2 * people) - 3.03521) < 0.00001)
  }

  @Test("X12: ten people an arm see no lift of a rate of one half")
  func tooFew() throws {
    #expect(try ExperimentSize().leastLift(rate: 0.9, peoplePerArm: 10) == nil)
  }

  @Test(
    "X12: a plan that makes no sense is refused",
    arguments: [
      (0, 0.1), (1, 0.1), (0.05, 0), (0.05, -1), (0.5, 1), (.nan, 0.1), (0.05, .nan),
      (0.05, .infinity), (1e-9, 1e-9),
    ])
  func noSize(rate: Double, lift: Double) throws {
    let size = try ExperimentSize()
    #expect(throws: EngagementError.self) { try size.peoplePerArm(rate: rate, lift: lift) }
  }

  @Test("X12: significance and power are shares, and power is the higher one")
  func shares() {
    for (significance, power) in [
      (0, 0.8), (1, 0.8), (0.05, 1), (0.05, 0.05), (.nan, 0.8), (1e-300, 0.8), (0.6, 0.8),
    ] {
      #expect(throws: EngagementError.self) {
        try ExperimentSize(significance: significance, power: power)
      }
    }
    #expect(throws: EngagementError.self) { try ExperimentSize(comparisons: 0) }
  }

  @Test("X12: several comparisons are counted at the most strict step of Holm")
  func severalComparisons() throws {
    let five = try ExperimentSize(comparisons: 5)
    #expect(abs(five.strictestSignificance - 0.01) < 1e-15)
    let people = try five.peoplePerArm(rate: 0.05, lift: 0.1)
    #expect(people == (try ExperimentSize(significance: 0.01).peoplePerArm(rate: 0.05, lift: 0.1)))
    // The squares of 2.57583 + 0.84162 and of 1.95996 + 0.84162 standard errors.
    #expect(abs(Double(people) / 31_234 / 1.48799 - 1) < 0.0005)
    // An anytime-valid sequence of the plan's significance has such a probability there.
    let anytime = try ExperimentSize(.anytime, comparisons: 5)
    let count = 2 * (try anytime.peoplePerArm(rate: 0.05, lift: 0.1))
    let sequence = try ConfidenceSequence(expectedCount: count, significance: 0.05)
    let bound = sequence.halfWidth(at: count, exceededWith: 0.01)
    #expect(abs(sequence.probability(of: bound, at: count) - 0.01) < 1e-12)
    let errors = 0.005 / (2 * 0.0525 * 0.9475 / Double(count / 2)).squareRoot()
    #expect(abs(errors - bound - 0.84162) < 0.01)
  }

  @Test("X12: Holm's correction keeps the order and never exceeds one")
  func holm() {
    let adjusted = Holm.adjusted([0.01, 0.04, 0.03, 0.005])
    for (value, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) {
      #expect(abs(value - expected) < 1e-12)
    }
    #expect(Holm.adjusted([0.9, 0.8]) == [1, 1])
    #expect(Holm.adjusted([]) == [])
  }
}

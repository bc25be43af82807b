public import EngagementModel
import EngagementPlatform

/// How many people an experiment with two arms of one size needs to see a difference between rates.
public struct ExperimentSize: Hashable, Sendable {
  /// When the difference is looked at.
  public enum Design: String, Hashable, Sendable {
    /// Once, when all the planned people are there.
    case fixed
    /// At any time, and as often as one likes. It needs more people.
    case anytime
  }

  public let design: Design
  /// How often a difference is seen where there is none.
  public let significance: Double
  /// How often a difference is seen where it is there.
  public let power: Double
  /// How many differences are tested together: the metrics, for each arm beside the control.
  public let comparisons: Int

  /// Throws `invalidArgument` for a power that does not lie between 0 and 1 or is not above the
  /// significance, for a significance below 0.0001% or above 50%, or without a comparison.
  public init(
    _ design: Design = .fixed, significance: Double = 0.05, power: Double = 0.8,
    comparisons: Int = 1
  ) throws(EngagementError) {
    try significance.requireSignificance()
    try power.requireShare("power")
    guard comparisons > 0 else {
      throw EngagementError(.invalidArgument, "An experiment tests one difference or more.")
    }
    guard power > significance else {
      throw EngagementError(
        .invalidArgument, "The power is above the significance, not \(power) with \(significance).")
    }
    self.design = design
    self.significance = significance
    self.power = power
    self.comparisons = comparisons
  }

  /// At which significance the clearest difference is seen. Holm's correction is most strict for it.
  public var strictestSignificance: Double { significance / Double(comparisons) }

  /// How many standard errors a difference has to be from zero to be seen.
  private var bound: Double {
    get throws(EngagementError) {
      switch design {
      case .fixed: -NormalDistribution.quantile(strictestSignificance / 2)
      // At the number of people for which it was made, every sequence is as wide.
      case .anytime:
        try ConfidenceSequence(expectedCount: 1, significance: significance)
          .halfWidth(at: 1, exceededWith: strictestSignificance)
      }
    }
  }

  /// The people that each arm needs to see `rate` become `rate * (1 + lift)`, or to see any larger lift.
  ///
  /// Throws `invalidArgument` for a rate that does not lie between 0 and 1, for a lift that the rate has no
  /// room for, or a lift of zero.
  public func peoplePerArm(rate: Double, lift: Double) throws(EngagementError) -> Int {
    try rate.requireShare("rate")
    let changed = rate * (1 + lift)
    guard lift > -1, changed > 0, changed < 1 else { throw Self.noRoom(rate, lift) }
    guard changed != rate else {
      throw EngagementError(.invalidArgument, "A lift of zero is none: give one worth seeing.")
    }
    let middle = (rate + changed) / 2
    let width =
      try bound * (2 * middle * (1 - middle)).squareRoot()
      + NormalDistribution.quantile(power)
      * (rate * (1 - rate) + changed * (1 - changed)).squareRoot()
    let errors = width / (changed - rate)
    // A quotient such as 28 / (1 - 0.9) is a little too large.
    let people = max(errors * errors, Self.leastPeople(rate, changed) * (1 - 1e-12)).rounded(.up)
    guard people < Double(Int32.max) else {
      throw EngagementError(
        .invalidArgument, "So small a lift needs more than two thousand million people in each arm."
      )
    }
    return max(Int(people), SampleRatio.leastCount)
  }

  private static func noRoom(_ rate: Double, _ lift: Double) -> EngagementError {
    let rest = (1 - rate) / rate
    guard !lift.isNaN else {
      return EngagementError(.invalidArgument, "The lift is a number, such as 0.1 for 10%.")
    }
    return EngagementError(
      .invalidArgument,
      "A rate of \(Figure.percent(rate)) has no room for a lift of \(Figure.percent(lift)): the rate "
        + "with its lift lies between 0 and 100%, so that the lift is above \(Figure.percent(-1)) and "
        + "below \(Figure.percent(rest)).")
  }

  /// So many people, and as many that do not, are expected to do it in each arm. A report tells nothing
  /// below ten, and chance may bring fewer than are expected.
  private static let leastExpected = 14.0

  /// The people of whom enough do it, and enough do not. The lift may be larger than the one that is
  /// expected, and is to be seen then, too: up to where all do it, or nobody.
  private static func leastPeople(_ rate: Double, _ changed: Double) -> Double {
    let isRise = changed > rate
    let (fewest, most) = isRise ? (rate + changed, rate + 1) : (rate, rate + changed)
    return 2 * leastExpected / min(fewest, 2 - most)
  }

  /// The smallest lift of a rate that so many people in each arm show; nil if even a rate of 1 would
  /// not be seen.
  public func leastLift(rate: Double, peoplePerArm: Int) throws(EngagementError) -> Double? {
    // More lift never needs more people, so the least one is found by halving.
    var (low, high) = (0.0, try Self.largestLift(of: rate))
    func suffices(_ lift: Double) -> Bool {
      guard let people = try? self.peoplePerArm(rate: rate, lift: lift) else { return false }
      return people <= peoplePerArm
    }
    guard suffices(high) else { return nil }
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if suffices(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// The people that each arm needs to see the largest lift that there can be.
  package func fewestPeoplePerArm(rate: Double) throws(EngagementError) -> Int {
    try peoplePerArm(rate: rate, lift: Self.largestLift(of: rate))
  }

  /// It leads to the largest rate below 1.
  private static func largestLift(of rate: Double) throws(EngagementError) -> Double {
    try rate.requireShare("rate")
    var lift = (1 / rate - 1).nextDown
    while rate * (1 + lift) >= 1 { lift = lift.nextDown }
    return lift
  }

  /// The power with which so many people in each arm show a mean that differs by `difference`, where
  /// a person's value has the variance.
  public func power(
    toSee difference: Double, variance: Double, peoplePerArm: Int
  ) throws(EngagementError) -> Double {
    guard variance > 0, variance.isFinite, peoplePerArm > 0 else {
      throw EngagementError(
        .invalidArgument, "Each arm has people, and their values have a variance.")
    }
    let errors = difference / (2 * variance / Double(peoplePerArm)).squareRoot()
    let bound = try bound
    return NormalDistribution.probability(upTo: errors - bound)
      + NormalDistribution.probability(upTo: -errors - bound)
  }
}

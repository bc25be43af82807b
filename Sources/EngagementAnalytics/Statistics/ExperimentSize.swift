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

  /// The people that each arm needs to see `rate` become `rate * (1 + lift)`.
  ///
  /// Throws `invalidArgument` for rates that do not lie between 0 and 1, or a lift of zero.
  public func peoplePerArm(rate: Double, lift: Double) throws(EngagementError) -> Int {
    try rate.requireShare("rate")
    let changed = rate * (1 + lift)
    guard lift != 0, changed > 0, changed < 1 else {
      throw EngagementError(
        .invalidArgument,
        "The rate with its lift lies between 0 and 1 and is another than without it, not \(changed)."
      )
    }
    let middle = (rate + changed) / 2
    let width =
      try bound * (2 * middle * (1 - middle)).squareRoot()
      + NormalDistribution.quantile(power)
      * (rate * (1 - rate) + changed * (1 - changed)).squareRoot()
    let people = (width / (changed - rate)) * (width / (changed - rate))
    guard people < Double(Int32.max) else {
      throw EngagementError(
        .invalidArgument, "So small a lift needs more than two thousand million people in each arm."
      )
    }
    return max(Int(people.rounded(.up)), Self.leastPeople(middle: middle))
  }

  /// So many people, and as many that do not, are expected to do it in each arm. A report tells nothing
  /// below ten, and chance may bring fewer than are expected.
  private static let leastExpected = 14.0

  private static func leastPeople(middle: Double) -> Int {
    max(Int((leastExpected / min(middle, 1 - middle)).rounded(.up)), SampleRatio.leastCount)
  }

  /// The smallest lift of a rate that so many people in each arm show; nil if even a rate of 1 would
  /// not be seen.
  public func leastLift(rate: Double, peoplePerArm: Int) throws(EngagementError) -> Double? {
    try rate.requireShare("rate")
    guard peoplePerArm > 0 else { return nil }
    // More lift needs fewer people, so the least one is found by halving. With few people a rate has to
    // become so high that enough of them do it, and not so high that too few do not.
    let fewest = 2 * Self.leastExpected / Double(peoplePerArm)
    var (low, high) = (
      max(0, (fewest - rate) / rate - 1), min(1 / rate, (2 - fewest) / rate - 1) - 1
    )
    func suffices(_ lift: Double) -> Bool {
      guard let people = try? self.peoplePerArm(rate: rate, lift: lift) else { return false }
      return people <= peoplePerArm
    }
    guard low < high else { return nil }
    if low > 0, suffices(low.nextUp) { return low.nextUp }
    high = high.nextDown
    while rate * (1 + high) >= 1 { high = high.nextDown }
    guard suffices(high) else { return nil }
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if suffices(middle) { high = middle } else { low = middle }
    }
    return high
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

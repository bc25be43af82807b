public import EngagementModel

/// Whether people came to the arms as they were to be split. A split that is off by more than chance
/// means that some people are missing from an arm, and no difference can be trusted then.
public struct SampleRatio: Hashable, Sendable {
  /// The chi-squared statistic.
  public let statistic: Double
  /// How likely a split at least as uneven is by chance.
  public let probability: Double

  /// Whether differences between the arms can be trusted.
  public var isSound: Bool { probability >= Self.threshold }

  /// Below this the split is not one of chance.
  public static let threshold = 0.001
  /// Fewer people in an arm are too few for the check.
  public static let leastCount = 8

  /// - Parameter counts: The people of each arm.
  /// - Parameter weights: How the arms were to be split, in any unit.
  ///
  /// Throws `invalidArgument` for fewer than two arms, or an arm with fewer than eight people.
  public init(_ counts: [Int], weights: [Double]) throws(EngagementError) {
    guard counts.count == weights.count, weights.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw EngagementError(
        .invalidArgument, "Each arm has a weight, and each weight is above zero.")
    }
    guard counts.count > 1 else {
      throw EngagementError(.invalidArgument, "One arm alone has no split to be checked.")
    }
    let least = counts.min() ?? 0
    guard least >= Self.leastCount else {
      throw EngagementError(
        .invalidArgument,
        "An arm has \(least) \(least == 1 ? "person" : "people"): the split can be checked from "
          + "\(Self.leastCount) on.")
    }
    let (people, weight) = (Double(counts.reduce(0, +)), weights.reduce(0, +))
    statistic = zip(counts, weights).reduce(0) { sum, arm in
      let expected = people * arm.1 / weight
      let distance = Double(arm.0) - expected
      return sum + distance * distance / expected
    }
    probability = ChiSquaredDistribution.probability(
      beyond: statistic, degreesOfFreedom: counts.count - 1)
  }
}

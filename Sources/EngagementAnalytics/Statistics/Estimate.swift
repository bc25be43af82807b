public import EngagementModel
import EngagementPlatform

/// A value that was measured, and how sure it is.
public struct Estimate: Hashable, Sendable {
  /// How a conclusion is protected from looking at the data more than once. It is chosen before the
  /// start.
  public enum Method: Hashable, Sendable {
    /// Valid at one moment that was fixed in advance: every other look makes false alarms.
    case fixed
    /// Valid whenever somebody looks. The interval is narrowest for the expected number of people.
    case anytime(expectedCount: Int)
  }

  public let value: Double
  public let standardError: Double
  public let degreesOfFreedom: Double
  /// The people of both arms.
  public let count: Int

  /// Nil where one of the numbers is none.
  init?(value: Double, standardError: Double, degreesOfFreedom: Double, count: Int) {
    guard value.isFinite, standardError.isFinite, standardError > 0, degreesOfFreedom > 0 else {
      return nil
    }
    self.value = value
    self.standardError = standardError
    self.degreesOfFreedom = degreesOfFreedom
    self.count = count
  }

  /// The interval that covers the true value but for a share of `significance` of all experiments.
  public func interval(
    _ method: Method = .fixed, significance: Double = 0.05
  ) throws(EngagementError) -> ClosedRange<Double> {
    let half = try standardError * bound(method, significance, exceededWith: significance)
    return value - half...value + half
  }

  /// How many standard errors from zero a value has to be for its probability to be no higher.
  func bound(
    _ method: Method, _ significance: Double, exceededWith probability: Double
  ) throws(EngagementError) -> Double {
    try significance.requireShare("significance")
    switch method {
    case .fixed:
      return StudentDistribution(degreesOfFreedom: degreesOfFreedom)
        .bound(exceededWith: probability)
    case .anytime(let expected):
      return try ConfidenceSequence(expectedCount: expected, significance: significance)
        .halfWidth(at: count, exceededWith: probability)
    }
  }

  /// How likely a value at least as far from zero would be if there were no difference.
  ///
  /// - Parameter significance: That of the plan. It shapes an anytime-valid sequence.
  public func probability(
    _ method: Method = .fixed, significance: Double = 0.05
  ) throws(EngagementError) -> Double {
    try significance.requireShare("significance")
    switch method {
    case .fixed:
      return StudentDistribution(degreesOfFreedom: degreesOfFreedom)
        .probability(beyond: value / standardError)
    case .anytime(let expected):
      let sequence = try ConfidenceSequence(expectedCount: expected, significance: significance)
      return sequence.probability(of: value / standardError, at: count)
    }
  }
}

/// An asymptotic confidence sequence (Waudby-Smith and others, arXiv 2103.06476).
struct ConfidenceSequence {
  private let rhoSquared: Double
  private let significance: Double

  /// It is narrowest at the expected number of people.
  init(expectedCount: Int, significance: Double) throws(EngagementError) {
    guard expectedCount > 0 else {
      throw EngagementError(
        .invalidArgument, "An anytime-valid design expects at least one person.")
    }
    let information = -2 * log(significance)
    rhoSquared = (information + log(information + 1)) / Double(expectedCount)
    self.significance = significance
  }

  /// Half the interval's width at a number of people, in standard errors.
  func halfWidth(at count: Int) -> Double { halfWidth(at: count, exceededWith: significance) }

  /// How many standard errors a difference has whose probability is this one.
  func halfWidth(at count: Int, exceededWith probability: Double) -> Double {
    let x = Double(count) * rhoSquared
    return (2 * (x + 1) / x * log((x + 1).squareRoot() / probability)).squareRoot()
  }

  /// The probability of a difference of so many standard errors.
  func probability(of errors: Double, at count: Int) -> Double {
    let x = Double(count) * rhoSquared
    let evidence = exp(x * errors * errors / (2 * (x + 1))) / (x + 1).squareRoot()
    return min(1, 1 / evidence)
  }
}

/// Holm's correction for several metrics of one experiment.
public enum Holm {
  /// The probabilities, raised so that one limit holds for all of them together, in the given order.
  public static func adjusted(_ probabilities: [Double]) -> [Double] {
    var adjusted = probabilities
    var largest = 0.0
    let ranked = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
    for (rank, index) in ranked.enumerated() {
      largest = max(largest, min(1, probabilities[index] * Double(probabilities.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }
}

extension Double {
  /// Throws `invalidArgument` unless it lies between 0 and 1.
  func requireShare(_ name: String) throws(EngagementError) {
    guard self > 0, self < 1 else {
      throw EngagementError(.invalidArgument, "The \(name) lies between 0 and 1, not at \(self).")
    }
  }

  /// Throws `invalidArgument` unless it is a share of false alarms that somebody may want.
  func requireSignificance() throws(EngagementError) {
    guard self >= 0.000_001, self <= 0.5 else {
      throw EngagementError(
        .invalidArgument,
        "The significance lies between 0.0001% and 50%, not at \(self * 100)%: 5% is usual.")
    }
  }
}

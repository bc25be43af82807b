public import EngagementModel

/// Two values for each person of one arm, such as revenue and visits, or a value and the same of the
/// time before the experiment.
public struct PairedSample: Hashable, Sendable {
  public let first: Sample
  public let second: Sample
  /// The unbiased covariance of the two.
  public let covariance: Double

  public init(first: Sample, second: Sample, covariance: Double) {
    self.first = first
    self.second = second
    self.covariance = covariance
  }

  public init(_ pairs: some Sequence<(Double, Double)>) {
    var (count, firstMean, secondMean) = (0.0, 0.0, 0.0)
    var (firstSquares, secondSquares, products) = (0.0, 0.0, 0.0)
    for (first, second) in pairs {
      count += 1
      let (firstDistance, secondDistance) = (first - firstMean, second - secondMean)
      firstMean += firstDistance / count
      secondMean += secondDistance / count
      firstSquares += firstDistance * (first - firstMean)
      secondSquares += secondDistance * (second - secondMean)
      products += firstDistance * (second - secondMean)
    }
    let divisor = max(count - 1, 1)
    self.init(
      first: Sample(count: Int(count), mean: firstMean, variance: firstSquares / divisor),
      second: Sample(count: Int(count), mean: secondMean, variance: secondSquares / divisor),
      covariance: products / divisor)
  }

  /// The ratio of the two means, such as revenue for each visit, as if it were a value for each
  /// person. Its variance is that of the delta method.
  ///
  /// Throws `invalidArgument` if the second mean is zero.
  public func ratio() throws(EngagementError) -> Sample {
    let (m, d) = (first.mean, second.mean)
    guard d != 0 else {
      throw EngagementError(
        .invalidArgument, "The mean of what is divided by is zero: there is no ratio.")
    }
    let parts = first.variance / (d * d) + second.variance * m * m / (d * d * d * d)
    let variance = parts - 2 * covariance * m / (d * d * d)
    // Where the two are in one proportion, only the rounding is left.
    let isRounding = variance <= parts * 1e-12
    return Sample(count: first.count, mean: m / d, variance: isRounding ? 0 : variance)
  }

  /// The first values of both arms, less what the second ones, of the time before, explain of them
  /// (CUPED). The factor is the same in both arms.
  public static func adjusted(
    treatment: PairedSample, control: PairedSample
  ) -> (treatment: Sample, control: Sample) {
    let arms = [treatment, control]
    let weights = arms.map { max(Double($0.first.count - 1), 0) }
    func pooled(_ value: (PairedSample) -> Double) -> Double {
      zip(arms, weights).reduce(0) { $0 + value($1.0) * $1.1 } / weights.reduce(0, +)
    }
    let explaining = pooled { $0.second.variance }
    let factor = explaining > 0 ? pooled(\.covariance) / explaining : 0
    let people = arms.reduce(0) { $0 + Double($1.first.count) }
    let center = arms.reduce(0) { $0 + $1.second.mean * Double($1.second.count) } / people
    func adjusted(_ arm: PairedSample) -> Sample {
      let variance =
        arm.first.variance + factor * factor * arm.second.variance - 2 * factor * arm.covariance
      return Sample(
        count: arm.first.count, mean: arm.first.mean - factor * (arm.second.mean - center),
        variance: max(variance, 0))
    }
    return (adjusted(treatment), adjusted(control))
  }
}

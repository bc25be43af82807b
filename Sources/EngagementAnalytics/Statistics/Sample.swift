import EngagementModel

/// What was measured of the people of one arm: how many they are, and the mean and the variance of
/// one value for each of them.
public struct Sample: Hashable, Sendable {
  public let count: Int
  public let mean: Double
  /// The unbiased variance of the values, not that of the mean.
  public let variance: Double

  public init(count: Int, mean: Double, variance: Double) {
    self.count = count
    self.mean = mean
    self.variance = variance
  }

  /// A value for each person.
  public init(_ values: some Sequence<Double>) {
    // Welford's method: no precision is lost where the mean is large.
    var (count, mean, squares) = (0, 0.0, 0.0)
    for value in values {
      count += 1
      let distance = value - mean
      mean += distance / Double(count)
      squares += distance * (value - mean)
    }
    self.init(count: count, mean: mean, variance: count > 1 ? squares / Double(count - 1) : 0)
  }

  /// How many of the people did something.
  public init(_ successes: Int, of count: Int) {
    let rate = count > 0 ? Double(successes) / Double(count) : 0
    let correction = count > 1 ? Double(count) / Double(count - 1) : 0
    self.init(count: count, mean: rate, variance: rate * (1 - rate) * correction)
  }

  /// The variance of the mean.
  var varianceOfMean: Double { variance / Double(count) }

  /// Throws `invalidArgument` for an arm that nothing can be concluded from.
  func requireUsable(_ arm: String) throws(EngagementError) {
    guard count > 1 else {
      throw EngagementError(
        .invalidArgument,
        "The \(arm) has \(count == 1 ? "one person" : "no person"): no difference can be told.")
    }
    guard mean.isFinite, variance.isFinite, variance >= 0 else {
      throw EngagementError(
        .invalidArgument, "The \(arm)'s mean or variance is no number.")
    }
  }
}

import EngagementPlatform

/// The normal distribution with mean 0 and variance 1.
enum NormalDistribution {
  /// The probability of a value up to `z`. Its relative error is small in the lower tail, too.
  static func probability(upTo z: Double) -> Double { 0.5 * erfc(-z / 2.0.squareRoot()) }

  /// The probability of a value that is at least as far from 0 as `z`, on either side.
  static func probability(beyond z: Double) -> Double { erfc(abs(z) / 2.0.squareRoot()) }

  /// The value that is not exceeded with the probability, which lies between 0 and 1.
  static func quantile(_ probability: Double) -> Double {
    // The lower half is the more precise one.
    guard probability <= 0.5 else { return -quantile(1 - probability) }
    var z = -roughQuantile(ofTail: probability)
    // Halley's method. The first value is off by less than 0.0005, so two steps reach the last digits.
    for _ in 0..<3 {
      let error = (Self.probability(upTo: z) - probability) * (2 * Double.pi).squareRoot()
      let step = error * exp(z * z / 2)
      z -= step / (1 + z * step / 2)
    }
    return z
  }

  /// Abramowitz and Stegun, 26.2.23.
  private static func roughQuantile(ofTail probability: Double) -> Double {
    let t = (-2 * log(probability)).squareRoot()
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    let denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return t - numerator / denominator
  }
}

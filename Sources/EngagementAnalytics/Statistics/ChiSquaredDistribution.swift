import EngagementPlatform

/// The chi-squared distribution, by the incomplete gamma function.
enum ChiSquaredDistribution {
  /// The probability of a value of at least `value`.
  static func probability(beyond value: Double, degreesOfFreedom: Int) -> Double {
    guard value > 0 else { return 1 }
    let (shape, bound) = (Double(degreesOfFreedom) / 2, value / 2)
    let factor = exp(shape * log(bound) - bound - logGamma(shape))
    // Each expansion is fast on its side.
    return bound < shape + 1
      ? 1 - factor * series(shape, bound) : factor * continuedFraction(shape, bound)
  }

  /// The sum whose product with the factor is the lower part.
  private static func series(_ shape: Double, _ bound: Double) -> Double {
    var term = 1 / shape
    var (sum, index) = (term, shape)
    while term > sum * 1e-17 {
      index += 1
      term *= bound / index
      sum += term
    }
    return sum
  }

  /// The fraction whose product with the factor is the upper part.
  private static func continuedFraction(_ shape: Double, _ bound: Double) -> Double {
    // Lentz's method.
    var b = bound + 1 - shape
    var c = Double.infinity
    var d = 1 / b
    var fraction = d
    for step in 1...10_000 {
      let a = -Double(step) * (Double(step) - shape)
      b += 2
      d = 1 / notZero(b + a * d)
      c = notZero(b + a / c)
      fraction *= c * d
      if abs(c * d - 1) < 1e-15 { break }
    }
    return fraction
  }
}

/// The logarithm of the gamma function, for positive values.
func logGamma(_ value: Double) -> Double { lgamma(value).0 }

/// A denominator of Lentz's method.
func notZero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }

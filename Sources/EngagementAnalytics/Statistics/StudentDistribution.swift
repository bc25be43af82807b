import EngagementPlatform

/// Student's distribution, by the incomplete beta function. Degrees of freedom need not be whole.
struct StudentDistribution {
  let degreesOfFreedom: Double

  /// The probability of a value that is at least as far from 0 as `t`, on either side.
  func probability(beyond t: Double) -> Double {
    guard t.isFinite else { return 0 }
    let x = degreesOfFreedom / (degreesOfFreedom + t * t)
    return Self.incompleteBeta(x, degreesOfFreedom / 2, 0.5)
  }

  /// The positive value that is exceeded, on either side, with the probability.
  func bound(exceededWith probability: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    while self.probability(beyond: high) > probability, high < 1e300 {
      (low, high) = (high, high * 2)
    }
    while true {
      let middle = low + (high - low) / 2
      guard low < middle, middle < high else { return middle }
      if self.probability(beyond: middle) > probability { low = middle } else { high = middle }
    }
  }

  private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let factor = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x))
    // The fraction is fast on one side, and the function is symmetric.
    return x < (a + 1) / (a + b + 2)
      ? factor * fraction(x, a, b) / a : 1 - factor * fraction(1 - x, b, a) / b
  }

  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    // Lentz's method, two coefficients at a time.
    var c = 1.0
    var d = 1 / notZero(1 - (a + b) * x / (a + 1))
    var fraction = d
    for step in 1...10_000 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      for coefficient in [even, odd] {
        d = 1 / notZero(1 + coefficient * d)
        c = notZero(1 + coefficient / c)
        fraction *= c * d
      }
      if abs(c * d - 1) < 1e-15 { break }
    }
    return fraction
  }
}

/// What is known of one metric of the people of one arm: sums of whole numbers, from which every figure
/// follows. A database gives the same sums, so its figures are the same.
///
/// A person's two numbers are x and y (see `ComparisonMetric`); p is x as it was in the person's past.
public struct MetricSums: Hashable, Sendable {
  public var people = 0
  /// Σx.
  public var numerator = 0
  /// Σx².
  public var numeratorSquares = 0
  /// Σy.
  public var denominator = 0
  /// Σy².
  public var denominatorSquares = 0
  /// Σxy.
  public var products = 0
  /// Σp.
  public var past = 0
  /// Σp².
  public var pastSquares = 0
  /// Σxp.
  public var pastProducts = 0

  public init() {}

  /// Adds people with the same numbers.
  mutating func add(_ x: Int, of y: Int, past p: Int = 0, people count: Int = 1) {
    people += count
    numerator += x * count
    numeratorSquares += x * x * count
    denominator += y * count
    denominatorSquares += y * y * count
    products += x * y * count
    past += p * count
    pastSquares += p * p * count
    pastProducts += x * p * count
  }

  /// Adds other people.
  mutating func add(_ other: MetricSums) {
    people += other.people
    numerator += other.numerator
    numeratorSquares += other.numeratorSquares
    denominator += other.denominator
    denominatorSquares += other.denominatorSquares
    products += other.products
    past += other.past
    pastSquares += other.pastSquares
    pastProducts += other.pastProducts
  }

  var numbers: [Int] {
    [
      people, numerator, numeratorSquares, denominator, denominatorSquares, products, past,
      pastSquares, pastProducts,
    ]
  }

  /// x and y of each person.
  var values: PairedSample {
    PairedSample(
      first: sample(numerator, numeratorSquares), second: sample(denominator, denominatorSquares),
      covariance: covariance(numerator, denominator, products))
  }

  /// x of each person and of the person's past.
  var valuesAndPast: PairedSample {
    PairedSample(
      first: sample(numerator, numeratorSquares), second: sample(past, pastSquares),
      covariance: covariance(numerator, past, pastProducts))
  }

  private func sample(_ sum: Int, _ squares: Int) -> Sample {
    let mean = people > 0 ? Double(sum) / Double(people) : 0
    return Sample(count: people, mean: mean, variance: covariance(sum, sum, squares))
  }

  /// The unbiased covariance, (nΣab - ΣaΣb) / (n(n-1)). The difference is exact.
  private func covariance(_ first: Int, _ second: Int, _ products: Int) -> Double {
    guard people > 1 else { return 0 }
    let difference = Self.difference(
      people.multipliedFullWidth(by: products), first.multipliedFullWidth(by: second))
    return difference / Double(people) / Double(people - 1)
  }

  private typealias Product = (high: Int, low: UInt)

  /// The difference of two products of 128 bits.
  private static func difference(_ left: Product, _ right: Product) -> Double {
    guard (left.high, left.low) >= (right.high, right.low) else { return -difference(right, left) }
    let (low, borrows) = left.low.subtractingReportingOverflow(right.low)
    let high = left.high &- right.high &- (borrows ? 1 : 0)
    return Double(high) * 0x1p64 + Double(low)
  }
}

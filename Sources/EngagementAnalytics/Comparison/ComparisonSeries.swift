/// A metric over time: on each day, the figure of all people and events up to then.
struct ComparisonSeries {
  struct Point: Hashable, Sendable {
    let day: Int
    /// Of each arm; nil as long as there is nothing to divide by.
    let figures: [Double?]
  }

  let points: [Point]

  /// More days than this are thinned out evenly; the last one stays.
  static let mostPoints = 60

  init(of metric: Int, in counts: ComparisonCounts) {
    let days = Set(counts.arms.flatMap(\.days.keys)).sorted()
    let step = max(1, (days.count + Self.mostPoints - 1) / Self.mostPoints)
    var sums = counts.arms.map { _ in (numerator: 0, denominator: 0) }
    var points: [Point] = []
    for (index, day) in days.enumerated() {
      for (arm, figures) in counts.arms.enumerated() {
        sums[arm].numerator += figures.days[day]?.numerators[metric] ?? 0
        sums[arm].denominator += figures.days[day]?.denominators[metric] ?? 0
      }
      guard (days.count - 1 - index).isMultiple(of: step) else { continue }
      let figures = sums.map { sum in
        sum.denominator > 0 ? Double(sum.numerator) / Double(sum.denominator) : nil
      }
      points.append(Point(day: day, figures: figures))
    }
    self.points = points
  }
}

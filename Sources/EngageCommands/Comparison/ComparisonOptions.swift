import EngagementAnalytics
import EngagementModel

/// The options of commands that compare.
enum ComparisonOptions {
  static let metric = Option(
    "metric", value: "NAME", "only this metric",
    choices: named.map(\.name), repeats: true)
  /// The metrics that have a name of their own.
  static let named = ComparisonMetric.standard + ComparisonMetric.inbox
  static let from = Option(
    "from", value: "FILE|DIR|ADDRESS",
    "exported events of any devices, in place of those of this cache",
    repeats: true, completion: .files)
  static let html = Option(
    "html", value: "FILE", "write a page with charts to a file that is not there yet",
    completion: .files)
}

extension Invocation {
  /// The metrics that are asked for, or the standard ones.
  func comparisonMetrics() -> [ComparisonMetric] {
    let names = values(ComparisonOptions.metric)
    guard !names.isEmpty else { return ComparisonMetric.standard }
    return ComparisonOptions.named.filter { names.contains($0.name) }
  }

  /// The page that is asked for, not written yet. It throws before anything is read if it cannot be.
  func comparisonPage() throws -> NewFile? {
    try value(ComparisonOptions.html).map { path in
      try NewFile(context.path(path), for: ComparisonOptions.html)
    }
  }
}

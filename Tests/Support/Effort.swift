import Foundation

/// The share of a long test to run, in percent: `TEST_EFFORT`, or 100 in release builds and 25 in
/// debug builds.
public enum Effort {
  /// From 1 to 100 percent.
  public static let percent = min(
    max(ProcessInfo.processInfo.environment["TEST_EFFORT"].flatMap(Int.init) ?? standard, 1), 100)

  #if DEBUG
    private static let standard = 25
  #else
    private static let standard = 100
  #endif

  /// That share of a count, at least one.
  public static func share(of count: Int) -> Int { max(1, count * percent / 100) }

  /// That share of the cases, spread evenly, including the first.
  public static func some<Case>(of cases: [Case]) -> [Case] {
    stride(from: 0, to: cases.count, by: max(1, 100 / percent)).map { cases[$0] }
  }
}

package import EngagementPlatform

/// Times in columns: whole milliseconds since 1970. A time outside 64 bits becomes the nearest that
/// fits.
package enum Milliseconds {
  static func nearest(_ date: Date) -> Int64 { clamped((milliseconds(date)).rounded()) }
  package static func up(_ date: Date) -> Int64 { clamped(milliseconds(date).rounded(.up)) }
  static func down(_ date: Date) -> Int64 { clamped(milliseconds(date).rounded(.down)) }

  static func nearest(_ duration: Duration) -> Int64 {
    clamped((duration / .milliseconds(1)).rounded())
  }

  static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  private static func milliseconds(_ date: Date) -> Double { date.timeIntervalSince1970 * 1_000 }

  private static func clamped(_ value: Double) -> Int64 {
    Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}

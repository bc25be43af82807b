public import EngagementPlatform

/// Times as numbers: seconds or milliseconds since 1970-01-01T00:00:00Z.
///
/// Every time that this module makes is a whole millisecond of the years 0000–9999. Such a time
/// stays equal when it is stored as a number or printed as text and read back. The functions return
/// nil for any other number.
public enum Epoch {
  /// The milliseconds of the years 0000–9999.
  public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The time that many milliseconds after the epoch; nil outside `range`.
  ///
  /// Equal to `Date(timeIntervalSince1970:)` of the same number of seconds.
  public static func date(milliseconds: Int64) -> Date? {
    range.contains(milliseconds)
      ? Date(timeIntervalSince1970: Double(milliseconds) / 1_000) : nil
  }

  /// The time that many seconds after the epoch; nil outside `range`.
  public static func date(wholeSeconds: Int64) -> Date? {
    let (milliseconds, overflow) = wholeSeconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? nil : date(milliseconds: milliseconds)
  }

  /// The time that many seconds after the epoch, rounded to the nearest millisecond. Nil outside
  /// `range` and for a number that is not finite.
  public static func date(seconds: Double) -> Date? {
    milliseconds(seconds: seconds).flatMap(date(milliseconds:))
  }

  /// The nearest whole millisecond; nil outside `range`.
  public static func milliseconds(of date: Date) -> Int64? {
    milliseconds(seconds: date.timeIntervalSince1970)
  }

  /// The seconds with their milliseconds, such as `1562771215.012`; nil outside `range`.
  public static func seconds(of date: Date) -> Double? {
    milliseconds(of: date).map { Double($0) / 1_000 }
  }

  /// The seconds since the epoch, rounded down, also before 1970; nil outside `range`.
  public static func wholeSeconds(of date: Date) -> Int64? {
    guard let milliseconds = milliseconds(of: date) else { return nil }
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return rest < 0 ? seconds - 1 : seconds
  }

  private static func milliseconds(seconds: Double) -> Int64? {
    guard let milliseconds = Int64(exactly: (seconds * 1_000).rounded()),
      range.contains(milliseconds)
    else { return nil }
    return milliseconds
  }
}

/// Dates, times and durations as ISO 8601 text, in the forms that RFC 3339 and the vendors use.
///
/// No function reads the locale or the time zone of the machine, and none traps.
public enum ISO8601 {
  /// How a time is written.
  public struct Style: Hashable, Sendable {
    enum Zone: Hashable {
      case utc
      case offset(seconds: Int, colon: Bool)
    }

    var hasTime: Bool
    var hasMilliseconds: Bool
    var zone: Zone

    /// `2026-10-01T09:00:00.000Z`: UTC with milliseconds.
    public static let utc = Style(hasTime: true, hasMilliseconds: true, zone: .utc)

    /// `2026-10-01`: the day in UTC.
    public static let day = Style(hasTime: false, hasMilliseconds: false, zone: .utc)

    /// `2026-10-01T22:00:00.000+13:00`: the local time that many seconds ahead of UTC.
    ///
    /// The format has no seconds in an offset. Odd seconds, as in an old local mean time, are left
    /// out of the offset and of the local time, so the instant stays the same.
    public static func local(offset seconds: Int) -> Style {
      Style(
        hasTime: true, hasMilliseconds: true, zone: .offset(seconds: seconds, colon: true))
    }

    /// `2026-10-01T22:00:00+1300`: local time to the second, rounded down, and an offset without a
    /// colon.
    public static func compactLocal(offset seconds: Int) -> Style {
      Style(
        hasTime: true, hasMilliseconds: false, zone: .offset(seconds: seconds, colon: false))
    }
  }
}

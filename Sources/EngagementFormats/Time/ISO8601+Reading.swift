public import EngagementPlatform

extension ISO8601 {
  /// Reads a date and a time with an offset, such as `2019-07-10T15:06:55.012+00:00`.
  ///
  /// Accepts `T` or `t`; a fraction of one or more digits after `.` or `,`; an offset of `Z`, `z`,
  /// `±hh:mm`, `±hhmm` or `±hh`. Seconds and offset are required. Digits after the millisecond are
  /// cut off, so `…59.9999999Z` stays in its second and its year.
  ///
  /// A leap second, `:60` in the last minute of a month of UTC, becomes the last millisecond of
  /// second 59: it keeps its day and sorts before the next second. Returns nil for any other text,
  /// for a day that the calendar lacks, and for an instant outside the years 0000–9999 in UTC.
  public static func date(from text: String) -> Date? {
    text.readingBytes(date(from:))
  }

  /// Reads a date and a time from UTF-8 bytes, by the same rules.
  public static func date(from bytes: RawSpan) -> Date? {
    milliseconds(from: bytes).flatMap(Epoch.date(milliseconds:))
  }

  /// Reads a date and a time from UTF-8 bytes, by the same rules, as milliseconds since 1970.
  public static func milliseconds(from bytes: RawSpan) -> Int64? {
    var reader = ByteReader()
    guard let day = reader.civilDay(in: bytes),
      reader.take("T", in: bytes) || reader.take("t", in: bytes),
      let time = reader.timeOfDay(in: bytes),
      let offset = reader.offset(in: bytes),
      reader.isAtEnd(of: bytes)
    else { return nil }
    let instant = Int64(day.daysSinceEpoch) * 86_400_000 + time.milliseconds - offset
    guard Epoch.range.contains(instant), !time.isLeap || isEndOfMonth(instant) else { return nil }
    return instant
  }

  /// Reads a day without a time, such as `2019-07-10`, as its first instant in UTC.
  public static func day(from text: String) -> Date? {
    text.readingBytes(day(from:))
  }

  /// Reads a day without a time from UTF-8 bytes, by the same rules.
  public static func day(from bytes: RawSpan) -> Date? {
    var reader = ByteReader()
    guard let day = reader.civilDay(in: bytes), reader.isAtEnd(of: bytes) else { return nil }
    return Epoch.date(milliseconds: Int64(day.daysSinceEpoch) * 86_400_000)
  }

  /// Whether the next millisecond begins a month of UTC, the only place for a leap second.
  private static func isEndOfMonth(_ instant: Int64) -> Bool {
    let next = (instant + 1).quotientAndRemainder(dividingBy: 86_400_000)
    return next.remainder == 0 && CivilDay(daysSinceEpoch: Int(next.quotient)).day == 1
  }
}

private struct TimeOfDay {
  var milliseconds: Int64
  var isLeap: Bool
}

extension ByteReader {
  fileprivate mutating func civilDay(in bytes: RawSpan) -> CivilDay? {
    guard let year = number(digits: 4, in: bytes), take("-", in: bytes),
      let month = number(digits: 2, in: bytes), take("-", in: bytes),
      let day = number(digits: 2, in: bytes)
    else { return nil }
    return CivilDay(year: year, month: month, day: day)
  }

  fileprivate mutating func timeOfDay(in bytes: RawSpan) -> TimeOfDay? {
    guard let hour = number(digits: 2, in: bytes), hour < 24, take(":", in: bytes),
      let minute = number(digits: 2, in: bytes), minute < 60, take(":", in: bytes),
      let second = number(digits: 2, in: bytes), second <= 60,
      let fraction = fraction(in: bytes)
    else { return nil }
    let minutes = (hour * 60 + minute) * 60_000
    return second == 60
      ? TimeOfDay(milliseconds: Int64(minutes + 59_999), isLeap: true)
      : TimeOfDay(milliseconds: Int64(minutes + second * 1_000 + fraction), isLeap: false)
  }

  /// The milliseconds after a `.` or `,`. Returns 0 without either, nil if no digit follows.
  private mutating func fraction(in bytes: RawSpan) -> Int? {
    guard take(".", in: bytes) || take(",", in: bytes) else { return 0 }
    guard let first = digit(in: bytes) else { return nil }
    var milliseconds = first * 100
    var weight = 10
    while let digit = digit(in: bytes) {
      milliseconds += digit * weight
      weight /= 10
    }
    return milliseconds
  }

  /// The offset from UTC in milliseconds, positive for zones ahead of UTC.
  fileprivate mutating func offset(in bytes: RawSpan) -> Int64? {
    if take("Z", in: bytes) || take("z", in: bytes) { return 0 }
    let isAhead = take("+", in: bytes)
    guard isAhead || take("-", in: bytes) else { return nil }
    guard let hours = number(digits: 2, in: bytes), hours < 24 else { return nil }
    var minutes = 0
    if !isAtEnd(of: bytes) {
      _ = take(":", in: bytes)
      guard let number = number(digits: 2, in: bytes), number < 60 else { return nil }
      minutes = number
    }
    let milliseconds = Int64(hours * 60 + minutes) * 60_000
    return isAhead ? milliseconds : -milliseconds
  }
}

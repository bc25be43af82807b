extension ISO8601 {
  /// Reads a duration of weeks, or of days, hours, minutes and seconds, such as `P1DT2H`.
  ///
  /// A day is 24 hours and a week is seven days. Units are in order and at most once; any may be
  /// absent. Weeks must be the only unit. The last number may have a fraction after `.` or `,`,
  /// precise to the attosecond. A leading `-` makes the duration negative, as in ISO 8601-2.
  ///
  /// Nil for years and months, because they have no fixed length; for any other text; and for more
  /// seconds than an `Int64` holds.
  public static func duration(from text: String) -> Duration? {
    text.readingBytes(duration(from:))
  }

  /// Reads a duration from UTF-8 bytes, by the same rules.
  public static func duration(from bytes: RawSpan) -> Duration? {
    calendarDuration(from: bytes).flatMap { $0.months == nil ? $0.rest : nil }
  }

  /// A duration whose months have no fixed length.
  public struct CalendarDuration: Hashable, Sendable {
    /// Years count as twelve months; nil if the text names neither.
    public var months: Int?
    /// What the text has beside its months.
    public var rest: Duration
  }

  /// Reads a duration that may begin with years and months, such as `P1Y2M3DT4H`; otherwise by the rules
  /// of `duration(from:)`. A fraction of a year must be whole months.
  public static func calendarDuration(from text: String) -> CalendarDuration? {
    text.readingBytes(calendarDuration(from:))
  }

  private static func calendarDuration(from bytes: RawSpan) -> CalendarDuration? {
    var reader = ByteReader()
    let isNegative = reader.take("-", in: bytes)
    guard reader.take("P", in: bytes) else { return nil }
    var sum = DurationSum()
    var isTime = false
    while !reader.isAtEnd(of: bytes) {
      if !isTime { isTime = reader.take("T", in: bytes) }
      guard sum.addComponent(from: &reader, in: bytes, isTime: isTime) else { return nil }
    }
    guard !sum.isEmpty else { return nil }
    return CalendarDuration(
      months: sum.months.map { isNegative ? -$0 : $0 },
      rest: isNegative ? .zero - sum.duration : sum.duration)
  }

  /// Writes a duration in seconds, such as `PT3600S`, `PT0.25S` or `-PT60S`.
  ///
  /// Exact to the attosecond for every duration. `duration(from:)` returns the same duration if its
  /// seconds fit an `Int64`.
  public static func text(of duration: Duration) -> String {
    let (seconds, rest) = duration.attoseconds.magnitude
      .quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    var text = duration < .zero ? "-PT\(seconds)" : "PT\(seconds)"
    if rest > 0 {
      let digits = String(rest)
      text += "." + String(repeating: "0", count: 18 - digits.count) + digits
      while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
    }
    return text + "S"
  }
}

/// The units, in the order that the format requires.
private enum DurationUnit: Int, Comparable {
  case year, month, week, day, hour, minute, second

  init?(_ letter: UInt8?, isTime: Bool) {
    switch (letter, isTime) {
    case (UInt8(ascii: "Y"), false): self = .year
    case (UInt8(ascii: "M"), false): self = .month
    case (UInt8(ascii: "W"), false): self = .week
    case (UInt8(ascii: "D"), false): self = .day
    case (UInt8(ascii: "H"), true): self = .hour
    case (UInt8(ascii: "M"), true): self = .minute
    case (UInt8(ascii: "S"), true): self = .second
    default: return nil
    }
  }

  var length: Length {
    switch self {
    case .year: .months(12)
    case .month: .months(1)
    case .week: .seconds(604_800)
    case .day: .seconds(86_400)
    case .hour: .seconds(3_600)
    case .minute: .seconds(60)
    case .second: .seconds(1)
    }
  }

  enum Length {
    case months(Int)
    case seconds(Int64)
  }

  static func < (left: DurationUnit, right: DurationUnit) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The sum of the components so far.
private struct DurationSum {
  private(set) var duration = Duration.zero
  /// Nil until a component has years or months.
  private(set) var months: Int?
  private var last: DurationUnit?
  private var isClosed = false

  var isEmpty: Bool { last == nil }

  /// Reads the next component and adds it. Returns false if no component is there, or one that may
  /// not follow the last.
  mutating func addComponent(
    from reader: inout ByteReader, in bytes: RawSpan, isTime: Bool
  ) -> Bool {
    guard !isClosed, let number = reader.decimal(in: bytes),
      let unit = DurationUnit(reader.next(in: bytes), isTime: isTime),
      last.map({ $0 < unit && unit != .week }) ?? true
    else { return false }
    last = unit
    isClosed = unit == .week || number.fraction != nil
    switch unit.length {
    case .months(let count): return add(number, months: count)
    case .seconds(let count): return add(number, seconds: count)
    }
  }

  private mutating func add(_ number: Decimal, months count: Int) -> Bool {
    let (part, rest) = (Int128(number.fraction ?? 0) * Int128(count))
      .quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    let whole = Int(exactly: number.whole)?.multipliedReportingOverflow(by: count)
    guard rest == 0, let whole, !whole.overflow else { return false }
    let sum = whole.partialValue.addingReportingOverflow(Int(part))
    let all = sum.partialValue.addingReportingOverflow(months ?? 0)
    guard !sum.overflow, !all.overflow else { return false }
    months = all.partialValue
    return true
  }

  private mutating func add(_ number: Decimal, seconds count: Int64) -> Bool {
    let seconds = number.whole.multipliedReportingOverflow(by: count)
    guard !seconds.overflow else { return false }
    // The sum so far and the new number are below 2⁶³ seconds each; a `Duration` holds 2⁶⁶.
    let sum =
      duration + .seconds(seconds.partialValue)
      + Duration(attoseconds: Int128(count) * Int128(number.fraction ?? 0))
    // `Duration.components` traps if the seconds do not fit an `Int64`.
    guard sum <= .seconds(Int64.max) else { return false }
    duration = sum
    return true
  }
}

/// A number as written.
private struct Decimal {
  var whole: Int64
  /// The fraction in units of 10⁻¹⁸; nil if the number has none.
  var fraction: Int64?
}

extension ByteReader {
  fileprivate mutating func decimal(in bytes: RawSpan) -> Decimal? {
    guard let first = digit(in: bytes) else { return nil }
    var whole = Int64(first)
    while let digit = digit(in: bytes) {
      let product = whole.multipliedReportingOverflow(by: 10)
      let sum = product.partialValue.addingReportingOverflow(Int64(digit))
      guard !product.overflow, !sum.overflow else { return nil }
      whole = sum.partialValue
    }
    guard take(".", in: bytes) || take(",", in: bytes) else { return Decimal(whole: whole) }
    return attoFraction(in: bytes).map { Decimal(whole: whole, fraction: $0) }
  }

  private mutating func attoFraction(in bytes: RawSpan) -> Int64? {
    guard let first = digit(in: bytes) else { return nil }
    var weight: Int64 = 100_000_000_000_000_000
    var fraction = Int64(first) * weight
    while let digit = digit(in: bytes) {
      weight /= 10
      fraction += Int64(digit) * weight
    }
    return fraction
  }
}

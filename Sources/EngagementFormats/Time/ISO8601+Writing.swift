public import EngagementPlatform

extension ISO8601 {
  /// Writes a time, rounded to the nearest millisecond.
  ///
  /// Returns nil if the year does not fit four digits, in UTC or in the requested local time; if
  /// the date is infinite or not a number; and if the offset is a day or more. It never writes
  /// another time instead.
  public static func text(of date: Date, as style: Style = .utc) -> String? {
    guard let fields = Epoch.milliseconds(of: date).flatMap({ Fields($0, as: style) }) else {
      return nil
    }
    return String(capacity: Fields.maximumCount) { fields.write(to: &$0) }
  }

  /// Appends the UTF-8 bytes of `text(of:as:)`. Returns false and appends nothing if that is nil.
  public static func append(_ date: Date, as style: Style = .utc, to bytes: inout [UInt8]) -> Bool {
    guard let fields = Epoch.milliseconds(of: date).flatMap({ Fields($0, as: style) }) else {
      return false
    }
    bytes.append(addingCapacity: Fields.maximumCount) { fields.write(to: &$0) }
    return true
  }

  /// Writes a time, given as milliseconds since 1970, into the caller's buffer.
  ///
  /// Returns false and writes nothing if `text(of:as:)` is nil or fewer than 29 bytes are free.
  public static func write(
    milliseconds: Int64, as style: Style = .utc, to output: inout OutputSpan<UInt8>
  ) -> Bool {
    guard output.freeCapacity >= Fields.maximumCount, let fields = Fields(milliseconds, as: style)
    else { return false }
    fields.write(to: &output)
    return true
  }
}

/// The fields of one time, checked before the first byte is written.
private struct Fields {
  /// The length of `2026-10-01T22:00:00.000+13:00`.
  static let maximumCount = 29

  private let style: ISO8601.Style
  private let day: CivilDay
  private let millisecondOfDay: Int
  private let offsetMinutes: Int

  init?(_ milliseconds: Int64, as style: ISO8601.Style) {
    var offset = 0
    if case .offset(let seconds, _) = style.zone { offset = seconds }
    guard -86_400 < offset, offset < 86_400, Epoch.range.contains(milliseconds) else { return nil }
    offsetMinutes = offset / 60
    let local = milliseconds + Int64(offsetMinutes) * 60_000
    guard Epoch.range.contains(local) else { return nil }
    // The count starts at the beginning of the range, so that the division rounds down for every
    // year.
    let (days, rest) = (local - Epoch.range.lowerBound)
      .quotientAndRemainder(dividingBy: 86_400_000)
    day = CivilDay(daysSinceEpoch: Int(days) + Self.firstDay)
    millisecondOfDay = Int(rest)
    self.style = style
  }

  /// 0000-01-01 in days since 1970.
  private static let firstDay = -719_528

  func write(to output: inout OutputSpan<UInt8>) {
    output.append(day.year, digits: 4)
    output.append(UInt8(ascii: "-"))
    output.append(day.month, digits: 2)
    output.append(UInt8(ascii: "-"))
    output.append(day.day, digits: 2)
    guard style.hasTime else { return }
    writeTime(to: &output)
    writeZone(to: &output)
  }

  private func writeTime(to output: inout OutputSpan<UInt8>) {
    let second = millisecondOfDay / 1_000
    output.append(UInt8(ascii: "T"))
    output.append(second / 3_600, digits: 2)
    output.append(UInt8(ascii: ":"))
    output.append(second / 60 % 60, digits: 2)
    output.append(UInt8(ascii: ":"))
    output.append(second % 60, digits: 2)
    guard style.hasMilliseconds else { return }
    output.append(UInt8(ascii: "."))
    output.append(millisecondOfDay % 1_000, digits: 3)
  }

  private func writeZone(to output: inout OutputSpan<UInt8>) {
    guard case .offset(_, let colon) = style.zone else {
      return output.append(UInt8(ascii: "Z"))
    }
    // In RFC 3339 `-00:00` means an unknown offset, so zero is always `+`.
    output.append(offsetMinutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    output.append(abs(offsetMinutes) / 60, digits: 2)
    if colon { output.append(UInt8(ascii: ":")) }
    output.append(abs(offsetMinutes) % 60, digits: 2)
  }
}

extension OutputSpan<UInt8> {
  /// Appends the last digits of a number that is not negative, with leading zeros.
  fileprivate mutating func append(_ value: Int, digits: Int) {
    if digits == 4 { append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 1_000 % 10)) }
    if digits >= 3 { append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 100 % 10)) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }
}

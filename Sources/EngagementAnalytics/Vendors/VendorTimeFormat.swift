import EngagementFormats
import EngagementJSON
import EngagementModel

extension VendorEventTable {
  /// How a vendor writes a time.
  public enum TimeFormat: Sendable {
    /// Whole seconds since 1970, in UTC.
    case seconds
    /// A number whose digits are year, month, day, hour, minute and second, such as 20261127093000, in a
    /// zone so many seconds before UTC.
    case digits(zoneOffset: Int64)

    /// What a value of the format is called, in a sentence about one that is none.
    var title: String {
      switch self {
      case .seconds: "number of whole seconds since 1970"
      case .digits: "number such as 20261127093000"
      }
    }

    /// The milliseconds since 1970; nil for a value that is no time.
    func milliseconds(_ value: ArraySlice<UInt8>) -> Int64? {
      guard let json = try? JSON(parsing: value) else { return nil }
      switch self {
      case .seconds:
        let seconds = json.number ?? json.string.flatMap { Double($0) }
        guard let seconds, abs(seconds) < 1e12 else { return nil }
        let milliseconds = Int64((seconds * 1_000).rounded())
        return Epoch.range.contains(milliseconds) ? milliseconds : nil
      case .digits(let zoneOffset):
        let digits = Array((json.integer.map { String($0) } ?? json.string ?? "").utf8)
        guard digits.count == 14, let local = Self.milliseconds(digits) else { return nil }
        let milliseconds = local - zoneOffset * 1_000
        return Epoch.range.contains(milliseconds) ? milliseconds : nil
      }
    }

    private static func milliseconds(_ digits: [UInt8]) -> Int64? {
      var text: [UInt8] = []
      for (place, digit) in digits.enumerated() {
        if let separator = separators[place] { text.append(separator) }
        text.append(digit)
      }
      text.append(UInt8(ascii: "Z"))
      return ISO8601.milliseconds(from: text.span.bytes)
    }

    private static let separators: [Int: UInt8] = [
      4: UInt8(ascii: "-"), 6: UInt8(ascii: "-"), 8: UInt8(ascii: "T"), 10: UInt8(ascii: ":"),
      12: UInt8(ascii: ":"),
    ]

    /// The value for a time, without its fraction of a second.
    func value(_ milliseconds: Int64) -> [UInt8] {
      let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
      switch self {
      case .seconds: return Array(String(seconds).utf8)
      case .digits(let zoneOffset):
        let text =
          Epoch.date(wholeSeconds: seconds + zoneOffset).flatMap { ISO8601.text(of: $0) } ?? ""
        let digits = text.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.prefix(14)
        // A number has no leading zero.
        let number = digits.drop { $0 == UInt8(ascii: "0") }
        return number.isEmpty ? [UInt8(ascii: "0")] : Array(number)
      }
    }
  }
}

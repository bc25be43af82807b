import EngagementFormats
import EngagementPlatform

/// Formats the default of a date variable in its author's format, such as `DD MMM YYYY`.
///
/// The default only applies until the application provides its own text, so it supports only
/// English and UTC.
enum AtomicDateFormat {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// Longer tokens are before their own prefixes.
  private static let tokens = [
    "YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "D", "HH", "H", "mm", "ss",
  ]

  /// Copies any text that is not a token. Nil if the date cannot be written.
  static func text(of date: Date, _ format: String) -> String? {
    guard let stamp = ISO8601.text(of: date).map({ Array($0.utf8) }) else { return nil }
    var output: [UInt8] = []
    var rest = Array(format.utf8)[...]
    while let byte = rest.first {
      if let token = tokens.first(where: { rest.starts(with: $0.utf8) }) {
        output += value(token, stamp).utf8
        rest = rest.dropFirst(token.utf8.count)
      } else {
        output.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The value of a token, from a text such as `2026-10-20T00:00:00.000Z`.
  private static func value(_ token: String, _ stamp: [UInt8]) -> String {
    switch token {
    case "YYYY": digits(stamp[0..<4])
    case "YY": digits(stamp[2..<4])
    case "MMMM": month(stamp)
    case "MMM": String(month(stamp).prefix(3))
    case "MM": digits(stamp[5..<7])
    case "M": short(stamp[5..<7])
    case "DD": digits(stamp[8..<10])
    case "D": short(stamp[8..<10])
    case "HH": digits(stamp[11..<13])
    case "H": short(stamp[11..<13])
    case "mm": digits(stamp[14..<16])
    case "ss": digits(stamp[17..<19])
    default: token
    }
  }

  private static func digits(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func short(_ bytes: ArraySlice<UInt8>) -> String {
    Int(digits(bytes)).map { String($0) } ?? digits(bytes)
  }

  private static func month(_ stamp: [UInt8]) -> String {
    guard let number = Int(digits(stamp[5..<7])), months.indices.contains(number - 1) else {
      return ""
    }
    return months[number - 1]
  }
}

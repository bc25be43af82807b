import EngagementFormats
import EngagementPlatform

/// The three forms of a date in HTTP (RFC 9110 §5.6.7), all in GMT.
enum HTTPDate {
  /// Reads a date in one of the forms; nil for any other text. `now` determines the century of a
  /// two-digit year.
  static func parse(_ bytes: [UInt8], now: Date) -> Date? {
    // The longest form is "Wednesday, 06-Nov-94 08:49:37 GMT".
    guard bytes.count <= 33 else { return nil }
    let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(ascii: $0) }
    return fixed(words) ?? obsolete(words, now: now) ?? asctime(words)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  private static func fixed(_ words: [String]) -> Date? {
    guard words.count == 6, shortDays.contains(where: { words[0] == "\($0)," }),
      words[5] == "GMT", let day = number(words[1], digits: 2),
      let year = number(words[3], digits: 4)
    else { return nil }
    return date(year: year, month: words[2], day: day, time: words[4])
  }

  /// `Sunday, 06-Nov-94 08:49:37 GMT`
  private static func obsolete(_ words: [String], now: Date) -> Date? {
    guard words.count == 4, longDays.contains(where: { words[0] == "\($0)," }), words[3] == "GMT"
    else { return nil }
    let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let day = number(parts[0], digits: 2),
      let lastDigits = number(parts[2], digits: 2), let thisYear = year(of: now)
    else { return nil }
    // The latest year with these digits that is not more than 50 years ahead.
    let latest = thisYear + 50
    let year = latest - (latest - lastDigits) % 100
    return date(year: year, month: parts[1], day: day, time: words[2])
  }

  /// `Sun Nov  6 08:49:37 1994`
  private static func asctime(_ words: [String]) -> Date? {
    var words = words
    // A one-digit day follows two spaces, which makes an empty word.
    let dayDigits = words.count == 6 && words[2].isEmpty ? 1 : 2
    if dayDigits == 1 { words.remove(at: 2) }
    guard words.count == 5, shortDays.contains(words[0]),
      let day = number(words[2], digits: dayDigits), let year = number(words[4], digits: 4)
    else { return nil }
    return date(year: year, month: words[1], day: day, time: words[3])
  }

  private static func date(year: Int, month: String, day: Int, time: String) -> Date? {
    guard let month = months.firstIndex(of: month), let seconds = seconds(time),
      let midnight = ISO8601.day(
        from: "\(digits(year, 4))-\(digits(month + 1, 2))-\(digits(day, 2))")
    else { return nil }
    return midnight.addingTimeInterval(Double(seconds))
  }

  /// The seconds of a time such as `08:49:37`; accepts a leap second.
  private static func seconds(_ time: String) -> Int? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { number(String($0), digits: 2) }
    guard parts.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60
    else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
  }

  private static func year(of date: Date) -> Int? {
    ISO8601.text(of: date).flatMap { Int($0.prefix(4)) }
  }

  private static func number(_ text: String, digits: Int) -> Int? {
    text.utf8.count == digits && text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }

  private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

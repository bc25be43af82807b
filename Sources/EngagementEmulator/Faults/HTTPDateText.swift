import EngagementFormats
import EngagementPlatform

/// Times as HTTP writes them (RFC 9110 §5.6.7).
enum HTTPDateText {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Such as `Sun, 06 Nov 1994 08:49:37 GMT`; empty for a time that has no such form.
  static func text(_ date: Date) -> String {
    // 2026-11-22T01:02:03.000Z
    guard let seconds = Epoch.wholeSeconds(of: date), let whole = Epoch.date(wholeSeconds: seconds),
      let text = ISO8601.text(of: whole)
    else { return "" }
    let parts = text.split { "-T.Z".contains($0) }.map(String.init)
    guard parts.count >= 4, let month = Int(parts[1]), (1...12).contains(month) else { return "" }
    let day = ((seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)) % 7 + 7) % 7
    return "\(days[Int(day)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
  }
}

import EngagementFormats

/// Times in routes, as a configuration writes them: `30s`, `5m`, `2h`, or in full `PT0.25S`.
enum RouteTime {
  private static let units: [(letter: Character, length: Int64)] = [
    ("h", 3_600), ("m", 60), ("s", 1),
  ]

  /// The shortest text that `duration(from:)` reads as the same time.
  static func text(of duration: Duration) -> String {
    guard duration != .zero else { return "0s" }
    let (seconds, rest) = parts(of: duration)
    guard rest == 0, seconds >= 0,
      let unit = units.first(where: { seconds >= $0.length && seconds % Int128($0.length) == 0 })
    else { return ISO8601.text(of: duration) }
    return "\(seconds / Int128(unit.length))\(unit.letter)"
  }

  /// Nil for a text that is no time.
  static func duration(from text: String) -> Duration? {
    guard let letter = text.last, let unit = units.first(where: { $0.letter == letter }),
      let count = Int64(text.dropLast()), text.first != "+"
    else { return ISO8601.duration(from: text) }
    let seconds = count.multipliedReportingOverflow(by: unit.length)
    return seconds.overflow ? nil : .seconds(seconds.partialValue)
  }

  // `Duration.components` traps if the seconds do not fit an `Int64`.
  private static func parts(of duration: Duration) -> (seconds: Int128, rest: Int128) {
    let (seconds, rest) = duration.attoseconds
      .quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    return (seconds, rest)
  }

  /// The time in a message: `0`, `5 s`, `0.25 s`.
  static func words(_ duration: Duration) -> String {
    guard duration != .zero else { return "0" }
    let (seconds, rest) = parts(of: duration)
    return rest == 0 ? "\(seconds) s" : "\(duration / .seconds(1)) s"
  }
}

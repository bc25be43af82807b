import EngagementFormats
import EngagementPlatform

extension CardForm.Rule {
  /// Nil for what is no rule.
  init?(_ json: JSON) {
    guard let name = json["rule"]?.string, let value = json["value"] else { return nil }
    self.init(name: name, value: value, message: json["message"]?.string)
  }

  /// Whether the input's value meets the rule. Nil stands for an input without a value, which meets
  /// only an upper limit of its length and a rule that requires nothing. A rule that this version
  /// does not know is met.
  func allows(_ entered: JSON?) -> Bool {
    switch name {
    case "required": value.bool != true || entered.map { $0 != "" } ?? false
    case "minimumLength": compare(Self.length(entered), value.integer) { $0 >= $1 }
    case "maximumLength":
      entered == nil || compare(Self.length(entered), value.integer) { $0 <= $1 }
    case "minimum": compare(Self.number(entered), value.number) { $0 >= $1 }
    case "maximum": compare(Self.number(entered), value.number) { $0 <= $1 }
    case "minimumDate": compare(Self.date(entered), Self.date(value)) { $0 >= $1 }
    case "maximumDate": compare(Self.date(entered), Self.date(value)) { $0 <= $1 }
    case "regexp": matches(entered)
    default: true
    }
  }

  /// A value that is missing or no such value is not within a limit. A limit that is none is met.
  private func compare<Value>(
    _ entered: Value?, _ limit: Value?, _ isWithin: (Value, Value) -> Bool
  ) -> Bool {
    guard let entered else { return false }
    return limit.map { isWithin(entered, $0) } ?? true
  }

  /// The length as vendors' clients count it, in units of UTF-16.
  private static func length(_ value: JSON?) -> Int64? {
    value?.string.map { Int64($0.utf16.count) }
  }

  /// A text that is a number counts, because a field for text may ask for one.
  private static func number(_ value: JSON?) -> Double? {
    value?.number ?? value?.string.flatMap(Double.init)
  }

  /// A day alone is its first moment.
  private static func date(_ value: JSON?) -> Date? {
    value?.string.flatMap { ISO8601.date(from: $0) ?? ISO8601.date(from: $0 + "T00:00:00Z") }
  }

  /// Longer values and patterns meet the rule: what a pattern costs can grow with both beyond all
  /// bounds. The limit is ours.
  private static let longestMatched = 1_000

  /// Whether some part of the value matches. An invalid pattern is met.
  private func matches(_ entered: JSON?) -> Bool {
    guard let text = entered?.string else { return false }
    guard let pattern = value.string, pattern.utf8.count <= Self.longestMatched,
      text.utf8.count <= Self.longestMatched, let regex = try? Regex(pattern)
    else { return true }
    return (try? regex.firstMatch(in: text)) ?? nil != nil
  }
}

import EngagementFormats
import EngagementPlatform

/// How figures are written, the same in every table and on the page.
package enum Figure {
  /// With digits in groups of three.
  package static func count(_ count: Int) -> String {
    var digits = ""
    for (index, digit) in String(count.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { digits.append(",") }
      digits.append(digit)
    }
    return (count < 0 ? minus : "") + String(digits.reversed())
  }

  /// A share as a percentage with two places, or more for a small one.
  package static func percent(_ share: Double) -> String { decimal(share * 100) + "%" }

  /// A percentage with its sign.
  static func change(_ share: Double) -> String { signed(share) + percent(share) }

  /// Two places, or as many as it takes to show two digits that count, up to six.
  static func decimal(_ value: Double) -> String {
    var (places, unit) = (2, 0.1)
    while value != 0, abs(value) < unit, places < 6 { (places, unit) = (places + 1, unit / 10) }
    return fixed(value, places: places)
  }

  /// The level of an interval, such as `95%`.
  static func level(_ significance: Double) -> String {
    var text = fixed((1 - significance) * 100, places: 3)
    while text.hasSuffix("0") { text.removeLast() }
    return (text.hasSuffix(".") ? String(text.dropLast()) : text) + "%"
  }

  /// A difference of a metric: percentage points if it is a share.
  static func difference(_ value: Double, isShare: Bool) -> String {
    isShare ? signed(value) + decimal(value * 100) + " pp" : signed(value) + decimal(value)
  }

  /// Where a scale ends: the least number of one digit, or 1.5, by a power of ten that is no less.
  static func scaleEnd(for most: Double) -> Double {
    guard most > 0, most.isFinite else { return 1 }
    var unit = 1.0
    while unit > most { unit /= 10 }
    while unit * 10 < most { unit *= 10 }
    return [1, 1.5, 2, 3, 4, 5, 6, 8].map { $0 * unit }.first { $0 >= most } ?? unit * 10
  }

  /// A difference without its sign.
  static func size(_ value: Double, isShare: Bool) -> String {
    isShare ? decimal(abs(value) * 100) + " pp" : decimal(abs(value))
  }

  /// The figure of a metric.
  static func rate(_ value: Double, isShare: Bool) -> String {
    isShare ? percent(value) : decimal(value)
  }

  static func range(_ range: ClosedRange<Double>, _ text: (Double) -> String) -> String {
    "\(text(range.lowerBound)) to \(text(range.upperBound))"
  }

  static func probability(_ value: Double) -> String {
    value < 0.0001 ? "< 0.0001" : fixed(value, places: 4)
  }

  /// A probability as the equation that a sentence has.
  static func equation(_ probability: Double) -> String {
    "p " + (probability < 0.0001 ? "" : "= ") + Self.probability(probability)
  }

  /// A day of the calendar, from the number of days since 1970.
  static func day(_ day: Int) -> String {
    let (time, overflows) = Int64(day).multipliedReportingOverflow(by: 86_400_000)
    let date = overflows ? nil : Epoch.date(milliseconds: time)
    let text = date.flatMap { ISO8601.text(of: $0) }
    return text.map { String($0.prefix(10)) } ?? "day \(day)"
  }

  /// A day where it begins (UTC), else the time.
  static func moment(_ date: Date) -> String {
    guard let text = ISO8601.text(of: date) else {
      return day(Int((date.timeIntervalSince1970 / 86_400).rounded(.down)))
    }
    guard !text.hasSuffix("T00:00:00.000Z") else { return String(text.prefix(10)) }
    return text.hasSuffix(".000Z") ? String(text.dropLast(5)) + "Z" : text
  }

  /// A number with so many places. One that is huge or no number is written as Swift writes it.
  static func fixed(_ value: Double, places: Int) -> String {
    let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
    let scaled = (abs(value) * unit).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: Int(unit))
    let digits = String(fraction)
    let zeros = String(repeating: "0", count: max(places - digits.count, 0))
    let sign = value < 0 && scaled > 0 ? minus : ""
    return sign + count(whole) + (places > 0 ? "." + zeros + digits : "")
  }

  private static func signed(_ value: Double) -> String { value > 0 ? "+" : "" }

  /// A screen reader says it, unlike a hyphen.
  static let minus = "\u{2212}"
}

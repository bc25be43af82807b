import EngagementFormats
import FoundationEssentials

extension CardFilter.Value {
  /// The variable's value as the type that it is compared as; nil where it is of another.
  init?(_ json: JSON, as kind: Kind?) {
    let value: Self? =
      switch (kind, json) {
      case (.number, .integer(let integer)): .integer(integer)
      case (.number, .number(let number)): .number(number)
      case (.date, .string(let text)): ISO8601.date(from: text).map(Self.date)
      case (.string, .string(let text)): .string(text)
      case (.boolean, .bool(let bool)): .bool(bool)
      default: nil
      }
    guard let value else { return nil }
    self = value
  }

  /// Whether both are the same; nil for values of different kinds and for what is no number.
  func equals(_ other: Self) -> Bool? {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.bool(let a), .bool(let b)): a == b
    default: order(to: other).map { $0 == .same }
    }
  }

  /// Whether this comes before the other; nil where there is no order, as between strings.
  func precedes(_ other: Self) -> Bool? {
    order(to: other).map { $0 == .before }
  }

  private enum Order {
    case before, same, after

    var reversed: Order {
      switch self {
      case .before: .after
      case .same: .same
      case .after: .before
      }
    }
  }

  private func order(to other: Self) -> Order? {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): Self.order(a, b)
    case (.number(let a), .number(let b)): Self.order(a, b)
    case (.integer(let a), .number(let b)): Self.order(a, b)
    case (.number(let a), .integer(let b)): Self.order(b, a).map(\.reversed)
    case (.date(let a), .date(let b)):
      Epoch.milliseconds(of: a).flatMap { a in
        Epoch.milliseconds(of: b).flatMap { b in Self.order(a, b) }
      }
    default: nil
    }
  }

  private static func order<Number: Comparable>(_ a: Number, _ b: Number) -> Order? {
    a < b ? .before : a > b ? .after : a == b ? .same : nil
  }

  /// Exact also beyond 2⁵³, where not every whole number is a `Double`.
  private static func order(_ a: Int64, _ b: Double) -> Order? {
    if let whole = Int64(exactly: b) { return order(a, whole) }
    // What is left has a fraction, so is small enough for `Double(a)` not to reach it wrongly,
    // or lies outside `Int64`, where only its sign matters.
    if b.magnitude >= 0x1p63 { return b > 0 ? .before : .after }
    return order(Double(a), b)
  }
}

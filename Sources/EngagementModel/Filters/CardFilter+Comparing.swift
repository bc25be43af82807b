import EngagementFormats
import EngagementPlatform

extension CardFilter.Value {
  /// A variable's value, converted to the type of the comparison; nil if it has another type.
  init?(_ json: JSON, as kind: Kind?) {
    let value: Self? =
      switch (kind, json) {
      case (.number, .integer(let integer)): .integer(integer)
      case (.number, .number(let number)): .number(number)
      case (.date, .string(let text)): ISO8601.date(from: text).map(Self.date)
      case (.string, .string(let text)): .string(text)
      case (.boolean, .bool(let bool)): .bool(bool)
      case (.number?, _), (.date?, _), (.string?, _), (.boolean?, _), (nil, _): nil
      }
    guard let value else { return nil }
    self = value
  }

  /// Whether both values are equal; nil for values of different kinds and for NaN.
  func equals(_ other: Self) -> Bool? {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.bool(let a), .bool(let b)): a == b
    case (.integer, _), (.number, _), (.date, _), (.string, _), (.bool, _):
      order(to: other).map { $0 == .same }
    }
  }

  /// Whether this value comes before the other; nil if they have no order, as with strings.
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
    case (.integer, _), (.number, _), (.date, _), (.string, _), (.bool, _): nil
    }
  }

  private static func order<Number: Comparable>(_ a: Number, _ b: Number) -> Order? {
    a < b ? .before : a > b ? .after : a == b ? .same : nil
  }

  /// Exact even beyond 2⁵³, where a `Double` cannot hold every whole number.
  private static func order(_ a: Int64, _ b: Double) -> Order? {
    if let whole = Int64(exactly: b) { return order(a, whole) }
    // `b` has a fraction or lies outside `Int64`. With a fraction, it is small enough that
    // converting `a` cannot give the wrong order; outside, only its sign matters.
    if b.magnitude >= 0x1p63 { return b > 0 ? .before : .after }
    return order(Double(a), b)
  }
}

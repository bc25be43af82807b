public import struct FoundationEssentials.Date

/// One condition on cards: a field, an operator and the values it compares with. Several filters
/// together are a conjunction: see `all(_:match:)`.
///
/// Written in code, a filter whose operator the field's type lacks does not compile:
/// `.priority(.between(2, 6))`, `.templateName(.oneOf(["bill", "offer"]))`,
/// `.variable("vip", .equals(true))`. Made from data, it throws.
///
/// | values | operators |
/// |---|---|
/// | numbers, dates | all |
/// | strings | `equal notEqual in notIn` |
/// | booleans | `equal notEqual` |
/// | the id of a card | `equal` |
///
/// That is what vendors document. An adapter may refuse more, before any request: one whose
/// vendor takes no list or no range of creation dates, say.
public struct CardFilter: Hashable, Sendable {
  public let field: Field
  public let `operator`: Operator
  /// One value; for `in` and `notIn` at least one; for `between` the first and the last.
  public let values: [Value]

  /// Makes a filter from data.
  ///
  /// Throws `invalidArgument` naming the field and the operator for what `validate()` refuses.
  public init(
    field: Field, operator: Operator, values: [Value]
  ) throws(EngagementError) {
    self.init(unchecked: field, `operator`, values)
    try validate()
  }

  init(unchecked field: Field, _ operator: Operator, _ values: [Value]) {
    self.field = field
    self.operator = `operator`
    self.values = values
  }

  /// What of a card is compared.
  @nonexhaustive public enum Field: Sendable {
    /// A whole number from 1, the most urgent, to 10.
    case priority
    /// `createdAt`. Vendors do not agree with themselves whether it is the card or its template
    /// that was created then; offline it is the card.
    case created
    case templateID
    case templateName
    /// A variable of the card by its name: a string, a number, a date or a boolean.
    case variable(String)
    /// The vendor's id of the card.
    case cardID
  }

  /// How the field is compared.
  @nonexhaustive public enum Operator: String, Hashable, Sendable, CaseIterable {
    case equal, notEqual
    case greaterThan, greaterThanOrEqual, lessThan, lessThanOrEqual
    /// Equal to one of the values.
    case oneOf = "in"
    /// Equal to none of the values.
    case noneOf = "notIn"
    /// From the first to the second value, both included.
    case between
  }

  /// What the field is compared with.
  @nonexhaustive public enum Value: Sendable {
    case integer(Int64)
    case number(Double)
    /// Compared to the millisecond, which is what travels.
    case date(Date)
    /// Compared by bytes.
    case string(String)
    case bool(Bool)
  }
}

extension CardFilter.Field: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.variable == right.variable
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(variable)
  }

  private var variable: JSONKey? {
    if case .variable(let name) = self { JSONKey(name) } else { nil }
  }
}

extension CardFilter.Value: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.bool(let a), .bool(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .string(let value): value.hashBytes(into: &hasher)
    case .bool(let value): hasher.combine(value)
    }
  }
}

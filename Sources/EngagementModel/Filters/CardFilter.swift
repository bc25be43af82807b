public import EngagementPlatform

/// One condition on cards: a field, an operator and the values to compare with. A card must meet
/// all filters of a list: see `all(_:match:)`.
///
/// In code, a filter with an operator that the field's type lacks does not compile:
/// `.priority(.between(2, 6))`, `.templateName(.oneOf(["bill", "offer"]))`, `.variable("vip",
/// .equals(true))`. From data, such a filter throws.
///
/// | values | operators |
/// |---|---|
/// | numbers, dates | all |
/// | strings | `equal notEqual in notIn` |
/// | booleans | `equal notEqual` |
/// | the id of a card | `equal` |
///
/// This is what vendors document. An adapter may refuse more before any request, for example lists
/// or ranges of creation dates.
public struct CardFilter: Hashable, Sendable {
  public let field: Field
  public let `operator`: Operator
  /// The values: at least one for `in` and `notIn`, the first and the last for `between`, otherwise
  /// one.
  public let values: [Value]

  /// Makes a filter from data.
  ///
  /// Throws `invalidArgument`, which names the field and the operator, if `validate()` refuses it.
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

  /// The part of a card that is compared.
  @nonexhaustive public enum Field: Sendable {
    /// A whole number from 1, the most urgent, to 10.
    case priority
    /// `createdAt`. Vendors contradict themselves on whether this is the creation time of the card
    /// or of its template; this library compares the card's.
    case created
    case templateID
    case templateName
    /// A variable of the card by its name: a string, a number, a date or a Boolean.
    case variable(String)
    /// The vendor's id of the card.
    case cardID
  }

  /// How the field is compared with the values.
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

  /// A value to compare with.
  @nonexhaustive public enum Value: Sendable {
    case integer(Int64)
    case number(Double)
    /// Compared to the millisecond, the precision on the wire.
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

  private var variable: MemberKey? {
    if case .variable(let name) = self { MemberKey(name) } else { nil }
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
    case (.integer, _), (.number, _), (.date, _), (.string, _), (.bool, _): false
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

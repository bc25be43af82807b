public import struct FoundationEssentials.Date

/// A type that a card's field may be compared as: `Int`, `Int64`, `Double`, `Date`, `String` and
/// `Bool`.
public protocol CardFilterValue: Sendable {
  static func cardFilterValue(_ value: Self) -> CardFilter.Value
}

/// A type with `oneOf` and `noneOf`: every one but `Bool`.
public protocol ListedCardFilterValue: CardFilterValue {}

/// A type with an order: numbers and dates.
public protocol OrderedCardFilterValue: ListedCardFilterValue {}

extension Int: OrderedCardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .integer(Int64(value)) }
}

extension Int64: OrderedCardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .integer(value) }
}

extension Double: OrderedCardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .number(value) }
}

extension Date: OrderedCardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .date(value) }
}

extension String: ListedCardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .string(value) }
}

extension Bool: CardFilterValue {
  public static func cardFilterValue(_ value: Self) -> CardFilter.Value { .bool(value) }
}

extension CardFilter {
  /// An operator with its values, all of one type.
  public struct Condition<Value: CardFilterValue>: Sendable {
    let `operator`: Operator
    let values: [Value]

    init(_ operator: Operator, _ values: [Value]) {
      self.operator = `operator`
      self.values = values
    }

    public static func equals(_ value: Value) -> Self { Self(.equal, [value]) }
    public static func notEquals(_ value: Value) -> Self { Self(.notEqual, [value]) }
  }
}

extension CardFilter.Condition where Value: ListedCardFilterValue {
  /// Equal to one of the values, of which there must be one.
  public static func oneOf(_ values: [Value]) -> Self { Self(.oneOf, values) }
  /// Equal to none of the values, of which there must be one.
  public static func noneOf(_ values: [Value]) -> Self { Self(.noneOf, values) }
}

extension CardFilter.Condition where Value: OrderedCardFilterValue {
  public static func greaterThan(_ value: Value) -> Self { Self(.greaterThan, [value]) }
  public static func atLeast(_ value: Value) -> Self { Self(.greaterThanOrEqual, [value]) }
  public static func lessThan(_ value: Value) -> Self { Self(.lessThan, [value]) }
  public static func atMost(_ value: Value) -> Self { Self(.lessThanOrEqual, [value]) }

  /// From the first to the second, both included; the first must not be the greater.
  public static func between(_ first: Value, _ last: Value) -> Self {
    Self(.between, [first, last])
  }
}

extension CardFilter {
  /// Cards by priority, from 1 to 10.
  public static func priority(_ condition: Condition<Int>) -> CardFilter {
    CardFilter(.priority, condition)
  }

  /// Cards by `createdAt`.
  public static func created(_ condition: Condition<Date>) -> CardFilter {
    CardFilter(.created, condition)
  }

  /// Cards by the id of their template.
  public static func templateID(_ condition: Condition<String>) -> CardFilter {
    CardFilter(.templateID, condition)
  }

  /// Cards by the name of their template.
  public static func templateName(_ condition: Condition<String>) -> CardFilter {
    CardFilter(.templateName, condition)
  }

  /// Cards by a variable. The values' type says which type the variable has.
  public static func variable<Value: CardFilterValue>(
    _ name: String, _ condition: Condition<Value>
  ) -> CardFilter {
    CardFilter(.variable(name), condition)
  }

  /// The one card that the vendor calls so, such as the card of a push.
  public static func cardID(_ id: String) -> CardFilter {
    CardFilter(.cardID, .equals(id))
  }

  private init<Value: CardFilterValue>(_ field: Field, _ condition: Condition<Value>) {
    self.init(unchecked: field, condition.operator, condition.values.map(Value.cardFilterValue))
  }
}

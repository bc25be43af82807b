public import EngagementPlatform

/// A type that a filter can compare a card's field with: `Int`, `Int64`, `Double`, `Date`, `String`
/// or `Bool`.
public protocol CardFilterValue: Sendable {
  static func cardFilterValue(_ value: Self) -> CardFilter.Value
}

/// A type that has `oneOf` and `noneOf`: every one but `Bool`.
public protocol ListedCardFilterValue: CardFilterValue {}

/// A type with an order: a number or a date.
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
  /// An operator and its values, all of one type.
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
  /// Equal to one of the values. The list must not be empty.
  public static func oneOf(_ values: [Value]) -> Self { Self(.oneOf, values) }
  /// Equal to none of the values. The list must not be empty.
  public static func noneOf(_ values: [Value]) -> Self { Self(.noneOf, values) }
}

extension CardFilter.Condition where Value: OrderedCardFilterValue {
  public static func greaterThan(_ value: Value) -> Self { Self(.greaterThan, [value]) }
  public static func atLeast(_ value: Value) -> Self { Self(.greaterThanOrEqual, [value]) }
  public static func lessThan(_ value: Value) -> Self { Self(.lessThan, [value]) }
  public static func atMost(_ value: Value) -> Self { Self(.lessThanOrEqual, [value]) }

  /// From the first to the last value, both included. The first must not be greater than the last.
  public static func between(_ first: Value, _ last: Value) -> Self {
    Self(.between, [first, last])
  }
}

extension CardFilter {
  /// Compares the priority, from 1 to 10.
  public static func priority(_ condition: Condition<Int>) -> CardFilter {
    CardFilter(.priority, condition)
  }

  /// Compares `createdAt`.
  public static func created(_ condition: Condition<Date>) -> CardFilter {
    CardFilter(.created, condition)
  }

  /// Compares the id of the card's template.
  public static func templateID(_ condition: Condition<String>) -> CardFilter {
    CardFilter(.templateID, condition)
  }

  /// Compares the name of the card's template.
  public static func templateName(_ condition: Condition<String>) -> CardFilter {
    CardFilter(.templateName, condition)
  }

  /// Compares a variable of the card. The type of the values is the type of the variable.
  public static func variable<Value: CardFilterValue>(
    _ name: String, _ condition: Condition<Value>
  ) -> CardFilter {
    CardFilter(.variable(name), condition)
  }

  /// Matches the one card with the vendor's id, such as the card of a push.
  public static func cardID(_ id: String) -> CardFilter {
    CardFilter(.cardID, .equals(id))
  }

  private init<Value: CardFilterValue>(_ field: Field, _ condition: Condition<Value>) {
    self.init(unchecked: field, condition.operator, condition.values.map(Value.cardFilterValue))
  }
}

/// A JSON value, such as a property of an event or the extras of a card.
///
/// Integers and other numbers are separate, so that an id of 19 digits survives. Objects keep their
/// order. Strings and keys are equal only if their bytes are.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON: Hashable {
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _),
      (.object, _):
      false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): value.hashBytes(into: &hasher)
    case .array(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object)
    }
  }
}

extension JSON {
  /// The string, or nil for any other kind of value.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The integer, also for the number `3.0`; nil for any other kind of value.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .null, .bool, .string, .array, .object: nil
    }
  }

  /// The number, whole or not; nil for any other kind of value.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .null, .bool, .string, .array, .object: nil
    }
  }

  /// The Boolean, or nil for any other kind of value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements, or nil for any other kind of value.
  public var array: [JSON]? { if case .array(let values) = self { values } else { nil } }

  /// The object, or nil for any other kind of value.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The member of that name; nil if this is not an object or has no such member.
  public subscript(_ key: String) -> JSON? { object?[key] }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var object = JSONObject()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

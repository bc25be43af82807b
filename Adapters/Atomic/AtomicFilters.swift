import EngagementAdapterAPI
import EngagementFormats
import EngagementModel

/// Writes filters with Atomic's names: `{"metadata.priority__gte": 3}`.
enum AtomicFilters {
  private static let operators: [CardFilter.Operator: String] = [
    .equal: "eq", .notEqual: "ne", .greaterThan: "gt", .greaterThanOrEqual: "gte",
    .lessThan: "lt", .lessThanOrEqual: "lte", .oneOf: "in", .noneOf: "nin", .between: "between",
  ]

  /// Atomic's feeds are not filtered by the id of a card.
  static let all: VendorFilters = [
    .priority: Set(operators.keys), .created: Set(operators.keys),
    .templateID: [.equal, .notEqual, .oneOf, .noneOf],
    .templateName: [.equal, .notEqual, .oneOf, .noneOf], .variable: Set(operators.keys),
  ]

  /// Throws `unsupported` for a filter that Atomic lacks, and `invalidArgument` for an invalid
  /// filter or a second one with the same field and operator.
  static func json(_ filters: [CardFilter]) throws(EngagementError) -> JSONObject {
    var object = JSONObject()
    for filter in filters {
      try filter.validate()
      let name = try name(of: filter)
      guard object[name] == nil else {
        throw EngagementError(
          .invalidArgument, "Atomic takes one filter for a field and an operator.")
      }
      object[name] = try value(of: filter)
    }
    return object
  }

  private static func name(of filter: CardFilter) throws(EngagementError) -> String {
    guard let word = operators[filter.operator] else {
      throw EngagementError(.unsupported, "Atomic has no such operator.")
    }
    return "\(try name(of: filter.field))__\(word)"
  }

  private static func name(of field: CardFilter.Field) throws(EngagementError) -> String {
    switch field {
    case .priority: return "metadata.priority"
    case .created: return "metadata.created"
    case .templateID: return "metadata.cardTemplateId"
    case .templateName: return "metadata.cardTemplateName"
    case .variable(let name): return "variables.\(name)"
    case .cardID:
      throw EngagementError(.unsupported, "Atomic's feeds are not filtered by the id of a card.")
    }
  }

  private static func value(of filter: CardFilter) throws(EngagementError) -> JSON {
    var values: [JSON] = []
    for value in filter.values { values.append(try json(value)) }
    switch filter.operator {
    case .oneOf, .noneOf, .between: return .array(values)
    case .equal, .notEqual, .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual:
      return values.first ?? .null
    }
  }

  private static func json(_ value: CardFilter.Value) throws(EngagementError) -> JSON {
    switch value {
    case .integer(let value): return .integer(value)
    case .number(let value): return .number(value)
    case .string(let value): return .string(value)
    case .bool(let value): return .bool(value)
    case .date(let value):
      guard let text = ISO8601.text(of: value) else {
        throw EngagementError(.invalidArgument, "A filter's time has no text.")
      }
      return .string(text)
    }
  }
}

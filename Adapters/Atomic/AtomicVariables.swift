import EngagementFormats
import EngagementJSON
import EngagementModel

/// Reads the runtime variables of a card.
enum AtomicVariables {
  /// The variables with their defaults as text. Reads Atomic's list, or the map that some of its
  /// clients use. A variable without a name is left out.
  static func read(_ fields: JSONFields, _ key: JSONKey) -> [Card.RuntimeVariable] {
    if let list = fields.objects(key) {
      return list.compactMap { variable in
        variable.string("name").map { name in
          Card.RuntimeVariable(name, defaultValue: defaultValue(variable))
        }
      }
    }
    let map = fields.json(key)?.object ?? [:]
    return map.members.map { Card.RuntimeVariable($0.key, defaultValue: text(of: $0.value)) }
  }

  private static func defaultValue(_ variable: JSONFields) -> String {
    let value = text(of: variable.json("defaultValue") ?? .null)
    guard variable.string("type") == "date", let format = variable.string("defaultFormatterOption"),
      let date = ISO8601.date(from: value)
    else { return value }
    return AtomicDateFormat.text(of: date, format) ?? value
  }

  private static func text(of value: JSON) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(decoding: JSON.number(number).encoded(), as: UTF8.self)
    case .bool(let bool): bool ? "true" : "false"
    case .array(let values): values.map(text(of:)).joined(separator: ", ")
    case .null, .object: ""
    }
  }
}

import EngagementModel

extension JSON {
  /// The JSON as text, members in their order; enough of a printer for golden texts.
  var printed: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[\(values.map(\.printed).joined(separator: ","))]"
    case .object(let object):
      "{\(object.members.map { "\(Self.quoted($0.key)):\($0.value.printed)" }.joined(separator: ","))}"
    }
  }

  /// The kind of value; whole and other numbers are one.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .integer, .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The value with one member of the object replaced, added or, with nil, taken out.
  func replacing(_ name: String, with value: JSON?) -> JSON {
    guard var object else { return self }
    object[name] = value
    return .object(object)
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

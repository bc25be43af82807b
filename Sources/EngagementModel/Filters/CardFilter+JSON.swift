import EngagementFormats
import FoundationEssentials

extension CardFilter {
  /// The neutral JSON of the filter:
  /// `{"field": "priority", "operator": "between", "values": [2, 6]}`.
  ///
  /// A variable has its `name`, and the `type` `date` where it is compared with dates: as text, a
  /// date is a string like any other.
  public var json: JSON {
    ObjectEncoder([
      "field": field.name, "name": field.variableName, "type": typeName, "operator": self.operator,
      "values": JSON.array(values.map(\.json)),
    ]).json
  }

  /// Reads the neutral JSON of a filter.
  ///
  /// Unknown members are ignored. Throws `invalidArgument` naming the member that is missing or
  /// of a wrong type, and for what `validate()` refuses.
  public init(json: JSON) throws(EngagementError) {
    try self.init(JSONField(value: json, place: "filter"))
  }

  private var typeName: String? {
    guard case .variable = field, values.first?.kind == .date else { return nil }
    return Value.Kind.date.rawValue
  }
}

extension CardFilter: FieldValue {
  package init(_ field: JSONField) throws(EngagementError) {
    let members = try ObjectDecoder(field)
    let compared = try Field(members)
    let `operator`: Operator = try members.require("operator")
    let type: Value.Kind? = try members.read("type")
    let kind = compared.kind ?? type
    let list: [JSON] = try members.require("values")
    var values: [Value] = []
    for json in list {
      guard let value = Value(json, as: kind ?? Value.Kind(of: json)) else {
        throw Self.fault(
          compared, `operator`, "compares with \(kind?.rawValue ?? Value.Kind.names)")
      }
      values.append(value)
    }
    try self.init(field: compared, operator: `operator`, values: values)
  }
}

extension CardFilter.Operator: FieldValue {}

extension CardFilter.Field {
  /// The fields as the neutral JSON calls them.
  enum Name: String, CaseIterable, FieldValue {
    case priority, created, templateID, templateName, variable, cardID
  }

  var name: Name {
    switch self {
    case .priority: .priority
    case .created: .created
    case .templateID: .templateID
    case .templateName: .templateName
    case .variable: .variable
    case .cardID: .cardID
    }
  }

  fileprivate var variableName: String? {
    if case .variable(let name) = self { name } else { nil }
  }

  fileprivate init(_ members: ObjectDecoder) throws(EngagementError) {
    let name: Name = try members.require("field")
    self =
      switch name {
      case .priority: .priority
      case .created: .created
      case .templateID: .templateID
      case .templateName: .templateName
      case .variable: .variable(try members.require("name"))
      case .cardID: .cardID
      }
  }
}

extension CardFilter.Value {
  fileprivate var json: JSON {
    switch self {
    case .integer(let value): value.json
    case .number(let value): value.json
    case .date(let value): value.json
    case .string(let value): value.json
    case .bool(let value): value.json
    }
  }
}

extension CardFilter.Value.Kind: FieldValue {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// The kind that a value shows by itself, which a date does not.
  fileprivate init?(of json: JSON) {
    switch json {
    case .integer, .number: self = .number
    case .string: self = .string
    case .bool: self = .boolean
    case .null, .array, .object: return nil
    }
  }
}

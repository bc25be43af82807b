import EngagementFormats
import EngagementPlatform

extension CardFilter {
  /// The neutral JSON of the filter: `{"field": "priority", "operator": "between", "values": [2,
  /// 6]}`.
  ///
  /// A filter on a variable also has its `name`. If it compares dates, it has the `type` `date`,
  /// because a date's text looks like any other string.
  public var json: JSON {
    ObjectEncoder([
      "field": field.name, "name": field.variableName, "type": typeName, "operator": self.operator,
      "values": JSON.array(values.map(\.json)),
    ]).json
  }

  /// Reads the neutral JSON of a filter.
  ///
  /// Ignores unknown members. Throws `invalidArgument`, which names the member, if a member is
  /// missing or has the wrong type, and if `validate()` refuses the filter.
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
extension CardFilter.Field.Name: FieldValue {}

extension CardFilter.Field {
  /// The names of the fields in the neutral JSON; `variable` is any variable.
  public enum Name: String, CaseIterable, Sendable {
    case priority, created, templateID, templateName, variable, cardID
  }

  public var name: Name {
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

  /// The kind that the JSON value shows by itself. A date shows as a string.
  fileprivate init?(of json: JSON) {
    switch json {
    case .integer, .number: self = .number
    case .string: self = .string
    case .bool: self = .boolean
    case .null, .array, .object: return nil
    }
  }
}

import EngagementModel

/// Writes the application's templates for the dashboard.
enum CleverTapTemplates {
  /// Throws `invalidArgument` if two templates have the same name or a name is the vendor's own.
  static func payload(of templates: [Template]) throws(EngagementError) -> JSON {
    var definitions = JSONObject()
    for template in templates {
      guard !template.name.isEmpty, !systemNames.contains(template.name) else {
        throw EngagementError(.invalidArgument, "A template is called like one of CleverTap's own.")
      }
      guard definitions[template.name] == nil else {
        throw EngagementError(.invalidArgument, "Two templates have one name.")
      }
      definitions[template.name] = [
        "type": .string(types[template.kind] ?? ""), "vars": .object(variables(of: template)),
      ]
    }
    return ["type": "templatePayload", "definitions": .object(definitions)]
  }

  /// The vendor's own functions.
  static let systemNames: Set<String> = [
    "ctsystem_pushpermission", "ctsystem_openurl", "ctsystem_apprating",
  ]
  private static let types: [Template.Kind: String] = [
    .template: "template", .function: "function",
  ]

  private static func variables(of template: Template) -> JSONObject {
    var variables = JSONObject()
    for (order, argument) in ordered(template.arguments).enumerated() {
      var variable = JSONObject()
      variable["defaultValue"] = argument.defaultValue
      variable["type"] = .string(argument.type.rawValue)
      variable["order"] = .integer(Int64(order))
      variables[argument.name] = .object(variable)
    }
    return variables
  }

  /// The declared order, but all arguments of a group are at the position of its first one, sorted
  /// by name.
  static func ordered(_ arguments: [Template.Argument]) -> [Template.Argument] {
    var ordered: [Template.Argument] = []
    var seen: Set<[UInt8]> = []
    for argument in arguments {
      guard let group = argument.group else {
        ordered.append(argument)
        continue
      }
      guard seen.insert(group).inserted else { continue }
      ordered += arguments.filter { $0.group == group }.sorted { $0.isBefore($1) }
    }
    return ordered
  }
}

extension Template.Argument {
  /// The text before the first dot; nil without a dot.
  fileprivate var group: [UInt8]? {
    name.utf8.firstIndex(of: UInt8(ascii: ".")).map { Array(name.utf8[..<$0]) }
  }

  /// The vendor's clients ignore case; bytes decide between equal names.
  fileprivate func isBefore(_ other: Template.Argument) -> Bool {
    let (left, right) = (name.lowercased(), other.name.lowercased())
    return left.hasSameBytes(as: right)
      ? name.utf8.lexicographicallyPrecedes(other.name.utf8)
      : left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

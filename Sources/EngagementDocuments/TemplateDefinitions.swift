public import EngagementModel

/// Reads a document of template definitions: an object with one definition for each name.
///
/// ```json
/// {"offer": {"type": "template", "arguments": {"title": {"type": "string", "value": "Hello"}}}}
/// ```
public enum TemplateDefinitions {
  /// The templates in the order of the document.
  ///
  /// Throws `invalidConfiguration` with the line, the template, the argument and the rule. An unknown
  /// key is refused with the nearest known one.
  ///
  /// - Parameter reserved: Names that a template must not have, because they are the vendor's own.
  public static func parse(
    _ bytes: [UInt8], reserved: Set<String> = []
  ) throws(EngagementError) -> [Template] {
    guard case .object(let definitions) = try Document.parse(bytes) else {
      throw EngagementError(
        .invalidConfiguration, "line 1: The document must be an object of template definitions.")
    }
    var templates: [Template] = []
    for definition in definitions.members {
      do throws(DefinitionFault) {
        guard !reserved.contains(definition.key) else {
          throw DefinitionFault(
            "Template \"\(definition.key)\": the name is one of the vendor's own; rename it.")
        }
        templates.append(try template(definition.key, definition.value))
      } catch {
        let path = [definition.key] + error.path
        let line = DocumentPlace.line(of: path, in: bytes).map { "line \($0): " } ?? ""
        throw EngagementError(.invalidConfiguration, line + error.message)
      }
    }
    return templates
  }

  private static func template(
    _ name: String, _ definition: JSON
  ) throws(DefinitionFault) -> Template {
    guard let members = definition.object else {
      throw DefinitionFault("Template \"\(name)\" must be an object.")
    }
    try checkKeys(of: members, among: ["type", "isVisual", "arguments"], "Template \"\(name)\"")
    guard let kind = members["type"]?.string.flatMap(Template.Kind.init(rawValue:)) else {
      throw DefinitionFault("Template \"\(name)\": the type must be template or function.")
    }
    let isVisual = members["isVisual"]?.bool
    if kind == .function, isVisual == nil {
      throw DefinitionFault("Template \"\(name)\": a function needs isVisual, true or false.")
    }
    let arguments = try arguments(members["arguments"] ?? [:], of: name)
    do throws(EngagementError) {
      return try Template(
        name, kind, isVisual: isVisual ?? true, arguments: arguments.map(\.argument))
    } catch {
      let path = Self.path(ofFaultIn: arguments, kind, isVisual ?? true, name)
      throw DefinitionFault(error.message, at: path)
    }
  }

  /// An argument and where it stands in the definition.
  private struct Placed {
    var argument: Template.Argument
    var path: [String]
  }

  /// Where the first argument stands that breaks a rule: the arguments before it are sound.
  private static func path(
    ofFaultIn arguments: [Placed], _ kind: Template.Kind, _ isVisual: Bool, _ name: String
  ) -> [String] {
    for count in 1...max(1, arguments.count) {
      let first = arguments.prefix(count)
      let isSound =
        (try? Template(name, kind, isVisual: isVisual, arguments: first.map(\.argument))) != nil
      if !isSound { return first.last?.path ?? [] }
    }
    return []
  }

  private static func arguments(
    _ value: JSON, of template: String
  ) throws(DefinitionFault) -> [Placed] {
    guard let members = value.object else {
      throw DefinitionFault(
        "Template \"\(template)\": arguments must be an object.", at: ["arguments"])
    }
    var arguments: [Placed] = []
    for member in members.members {
      arguments += try argument(
        member.key, member.value, of: template, at: ["arguments", member.key])
    }
    return arguments
  }

  /// Words of other formats for a key.
  private static let otherWords = [
    "vars": "arguments", "variables": "arguments", "args": "arguments", "default": "value",
    "defaultValue": "value",
  ]

  private static func checkKeys(
    of members: JSONObject, among known: [String], _ place: String, at path: [String] = []
  ) throws(DefinitionFault) {
    for name in members.members.map(\.key) where !known.contains(name) {
      let meant = otherWords[name].flatMap { known.contains($0) ? $0 : nil }
      let hint =
        meant.map { "; did you mean \"\($0)\"?" } ?? NearestName.hint(for: name, among: known)
      throw DefinitionFault("\(place): \"\(name)\" is not a known key\(hint)", at: path + [name])
    }
  }

  private static func argument(
    _ name: String, _ definition: JSON, of template: String, at path: [String],
    isNested: Bool = false
  ) throws(DefinitionFault) -> [Placed] {
    func fault(_ rule: String) -> DefinitionFault {
      DefinitionFault("Template \"\(template)\", argument \"\(name)\": \(rule).", at: path)
    }
    guard let members = definition.object else { throw fault("it must be an object") }
    try checkKeys(
      of: members, among: ["type", "value"], "Template \"\(template)\", argument \"\(name)\"",
      at: path)
    guard let type = members["type"]?.string else { throw fault("the type is missing") }
    let value = members["value"]
    guard type != "object" else {
      guard let parts = value?.object, !parts.isEmpty else {
        throw fault("a dictionary must not be empty")
      }
      var leaves: [Placed] = []
      for part in parts.members {
        leaves += try argument(
          "\(name).\(part.key)", part.value, of: template, at: path + ["value", part.key],
          isNested: true)
      }
      return leaves
    }
    guard let type = Template.ArgumentType(rawValue: type) else {
      throw fault("the type must be string, number, boolean, file, action or object")
    }
    if isNested, type == .file || type == .action {
      throw fault("a dictionary has no \(type.rawValue); use a name with a dot")
    }
    return [Placed(argument: Template.Argument(name, type, defaultValue: value), path: path)]
  }
}

/// What is wrong with a definition, and where in it.
private struct DefinitionFault: Error {
  let message: String
  let path: [String]

  init(_ message: String, at path: [String] = []) {
    self.message = message
    self.path = path
  }
}

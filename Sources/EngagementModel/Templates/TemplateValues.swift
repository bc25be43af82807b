/// The arguments of one presentation: the template's defaults, replaced by what the campaign says.
///
/// Only arguments that the template defines exist. A value of the campaign counts if its type fits: a
/// text for a text; a number or a truth value for both of these; the URL of a file that is on this
/// device for a file; an action for an action. Anything else leaves the default.
public struct TemplateValues: Hashable, Sendable {
  /// A value, by the type of its argument.
  private enum Value: Hashable, Sendable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case file(String)
    case action(TemplateAction)

    /// As it stands in a dictionary.
    var json: JSON {
      switch self {
      case .string(let value), .file(let value): .string(value)
      case .number(let value): Int64(exactly: value).map(JSON.integer) ?? .number(value)
      case .bool(let value): .bool(value)
      case .action(let action): .string(action.name)
      }
    }
  }

  /// The values in the template's order, without those that have none.
  private let values: [(name: String, value: Value)]

  /// - Parameters:
  ///   - arguments: The campaign's arguments, by flat dotted name.
  ///   - file: The path of a file on this device, by its URL; nil if it is not there.
  public init(
    _ template: Template, filledWith arguments: JSONObject, file: (String) -> String?
  ) {
    values = template.arguments.compactMap { argument in
      let own = arguments[argument.name].flatMap { Self.value($0, as: argument.type, file) }
      let value = own ?? argument.defaultValue.flatMap { Self.value($0, as: argument.type, file) }
      return value.map { (argument.name, $0) }
    }
  }

  private static func value(
    _ json: JSON, as type: Template.ArgumentType, _ file: (String) -> String?
  ) -> Value? {
    switch type {
    case .string: json.string.map(Value.string)
    case .number: json.amount.map(Value.number)
    case .boolean: json.amount.map { .bool($0 != 0) }
    case .file: json.string.flatMap(file).map(Value.file)
    case .action: TemplateAction(json: json).map(Value.action)
    }
  }

  /// Whether a campaign may give an argument of that type the value. A file is not looked for.
  static func accepts(_ json: JSON, as type: Template.ArgumentType) -> Bool {
    value(json, as: type) { $0 } != nil
  }

  private subscript(name: String) -> Value? {
    values.first { $0.name.hasSameBytes(as: name) }?.value
  }

  // MARK: Reading

  /// The text of an argument of type `string`; nil for any other name.
  public func string(_ name: String) -> String? {
    if case .string(let value) = self[name] { value } else { nil }
  }

  /// The number of an argument of type `number`; nil for any other name.
  public func number(_ name: String) -> Double? {
    if case .number(let value) = self[name] { value } else { nil }
  }

  /// The truth value of an argument of type `boolean`; nil for any other name.
  public func bool(_ name: String) -> Bool? {
    if case .bool(let value) = self[name] { value } else { nil }
  }

  /// The path of a file on this device; nil if the campaign names none, and for any other name.
  public func file(_ name: String) -> String? {
    if case .file(let value) = self[name] { value } else { nil }
  }

  /// What the campaign chose for an action; nil if it chose nothing, and for any other name.
  public func action(_ name: String) -> TemplateAction? {
    if case .action(let value) = self[name] { value } else { nil }
  }

  /// The arguments of a group as nested objects; nil if there are none. A file is its path, an action
  /// the name of its function or of itself.
  public func dictionary(_ group: String) -> JSONObject? {
    let prefix = Array("\(group).".utf8)
    let parts = values.filter { $0.name.utf8.starts(with: prefix) }.map { part in
      (
        path: part.name.utf8.dropFirst(prefix.count).split(separator: UInt8(ascii: "."))
          .map { String(decoding: $0, as: UTF8.self) }, value: part.value.json
      )
    }
    return parts.isEmpty ? nil : Self.nested(parts)
  }

  /// Groups the values by the first part of their paths. No path is the beginning of another.
  private static func nested(_ parts: [(path: [String], value: JSON)]) -> JSONObject {
    var object = JSONObject()
    for part in parts {
      guard let first = part.path.first, object[first] == nil else { continue }
      guard part.path.count > 1 else {
        object[first] = part.value
        continue
      }
      let inner = parts.filter { $0.path.first?.hasSameBytes(as: first) == true }
      object[first] = .object(nested(inner.map { (Array($0.path.dropFirst()), $0.value) }))
    }
    return object
  }

  // MARK: Comparing

  public static func == (left: TemplateValues, right: TemplateValues) -> Bool {
    left.values.elementsEqual(right.values) {
      $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
    }
  }

  public func hash(into hasher: inout Hasher) {
    for entry in values {
      hasher.combine(entry.name)
      hasher.combine(entry.value)
    }
  }
}

extension JSON {
  /// A number, or a truth value as 1 or 0.
  fileprivate var amount: Double? { number ?? bool.map { $0 ? 1 : 0 } }
}

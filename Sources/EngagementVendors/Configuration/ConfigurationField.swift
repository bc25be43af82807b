public import EngagementModel

/// A value of `engage.json` with the path that leads to it; every error names the path.
public struct ConfigurationField {
  public let value: JSON
  /// Such as `providers.shop.apiKey`; empty for the whole document.
  public let path: String

  package init(value: JSON, path: String) {
    self.value = value
    self.path = path
  }

  // MARK: Reading

  /// A text that is not empty.
  public func string() throws(EngagementError) -> String {
    guard case .string(let text) = value else { throw wrongType("a string") }
    guard !text.isEmpty else { throw fault("is empty") }
    return text
  }

  /// True or false.
  public func bool() throws(EngagementError) -> Bool {
    guard case .bool(let bool) = value else { throw wrongType("true or false") }
    return bool
  }

  package func strings() throws(EngagementError) -> [ConfigurationField] {
    guard case .array(let values) = value else { throw wrongType("an array of strings") }
    var fields: [ConfigurationField] = []
    for (index, value) in values.enumerated() {
      let field = ConfigurationField(value: value, path: "\(path)[\(index)]")
      _ = try field.string()
      fields.append(field)
    }
    return fields
  }

  /// The members of the object, of any names.
  package func members() throws(EngagementError) -> [(name: String, field: ConfigurationField)] {
    guard case .object(let object) = value else { throw wrongType("an object") }
    return object.members.map { ($0.key, ConfigurationField(value: $0.value, path: child($0.key))) }
  }

  /// The members of the object, which has no others than these.
  package func members(
    among known: [String]
  ) throws(EngagementError) -> [String: ConfigurationField] {
    var found: [String: ConfigurationField] = [:]
    for (name, field) in try members() {
      guard known.contains(name) else {
        throw EngagementError(
          .invalidConfiguration,
          "\(field.path) is not a known key" + NearestName.hint(for: name, among: known))
      }
      found[name] = field
    }
    return found
  }

  /// One of the known names; an error says what they name and which one is nearest.
  public func name(_ what: String, among known: [String]) throws(EngagementError) -> String {
    let text = try string()
    guard known.contains(text) else { throw unknown(what, among: known) }
    return text
  }

  private func child(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  // MARK: What is wrong

  /// The error for a value that is not usable, such as `fault("is too long")`.
  public func fault(_ sentence: String) -> EngagementError {
    EngagementError(
      .invalidConfiguration, "\(path.isEmpty ? "The document" : path) \(sentence).")
  }

  package func wrongType(_ expected: String) -> EngagementError {
    fault("is \(value.kindName) where \(expected) belongs")
  }

  /// The name that stands here is none of those that there are.
  package func unknown(_ what: String, among known: [String]) -> EngagementError {
    let name = value.string ?? ""
    return EngagementError(
      .invalidConfiguration,
      "\(path) names \"\(name)\", which is no \(what)" + NearestName.hint(for: name, among: known))
  }

  /// A member that has to be there is not.
  package func missing(_ name: String) -> EngagementError {
    EngagementError(.invalidConfiguration, "\(child(name)) is missing.")
  }
}

extension JSON {
  /// What kind of value it is, for an error; the value itself may be a secret.
  fileprivate var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

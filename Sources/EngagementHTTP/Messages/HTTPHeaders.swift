public import EngagementModel

/// The header fields of a message, in order. Repeated names are kept. Names are compared ignoring
/// the case of ASCII letters.
///
/// Every field can be sent: names are tokens, and values contain no control byte but the tab, so no
/// value can end its line and begin another. Other fields throw `invalidArgument`. The check is on
/// bytes, because in Swift CR LF is one character that equals neither CR nor LF.
public struct HTTPHeaders: Hashable, Sendable {
  /// The fields, in the order in which they are sent or were received.
  public private(set) var fields: [HTTPHeaderField] = []

  /// No fields.
  public init() {}

  /// Makes a field from each pair, in order.
  public init(_ pairs: KeyValuePairs<String, String>) throws(EngagementError) {
    for (name, value) in pairs { try append(name, value) }
  }

  public var isEmpty: Bool { fields.isEmpty }
  public var count: Int { fields.count }

  /// The value of the first field of that name, without secret values; see `secret(_:)`.
  public func first(_ name: String) -> String? {
    fields.lazy.filter { $0.isNamed(name) }.compactMap(\.value.text).first
  }

  /// The values of all fields of that name, in order, without secret values.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.isNamed(name) }.compactMap(\.value.text)
  }

  /// The first secret value of that name.
  public func secret(_ name: String) -> Secret? {
    fields.lazy.filter { $0.isNamed(name) }.compactMap(\.value.secret).first
  }

  /// Whether there is a field of that name, secret or not.
  public func contains(_ name: String) -> Bool { fields.contains { $0.isNamed(name) } }

  /// Replaces all fields of that name with one, at the position of the first.
  public mutating func set(_ name: String, _ value: String) throws(EngagementError) {
    replace(with: try HTTPHeaderField(name, value))
  }

  /// Replaces all fields of that name with one whose value is never printed.
  public mutating func set(_ name: String, _ secret: Secret) throws(EngagementError) {
    replace(with: try HTTPHeaderField(name, secret))
  }

  /// Appends a field. Keeps other fields of the same name.
  public mutating func append(_ name: String, _ value: String) throws(EngagementError) {
    fields.append(try HTTPHeaderField(name, value))
  }

  /// Appends a field whose value is never printed. Keeps other fields of the same name.
  public mutating func append(_ name: String, _ secret: Secret) throws(EngagementError) {
    fields.append(try HTTPHeaderField(name, secret))
  }

  /// Removes all fields of that name.
  public mutating func remove(_ name: String) { fields.removeAll { $0.isNamed(name) } }

  private mutating func replace(with field: HTTPHeaderField) {
    guard let place = fields.firstIndex(where: { $0.isNamed(field.name) }) else {
      return fields.append(field)
    }
    remove(field.name)
    fields.insert(field, at: place)
  }

  /// The members of a comma-separated list, from all fields of that name.
  func listMembers(_ name: String) -> [String] {
    all(name).flatMap { value in
      value.utf8.split(separator: UInt8(ascii: ","))
        .map { String(ascii: $0.trimmed) }.filter { !$0.isEmpty }
    }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible {
  /// `name: value` of each field, secret values and credentials as `<redacted>`.
  public var description: String { fields.map(\.description).joined(separator: ", ") }
  public var debugDescription: String { description }
}

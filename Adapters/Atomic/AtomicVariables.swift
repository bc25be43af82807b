import EngagementFormats
import EngagementJSON
import EngagementModel

/// Replaces a card's runtime variables in its texts with their defaults.
struct AtomicVariables {
  private let defaults: [JSONKey: String]

  init(_ variables: [Card.RuntimeVariable]) {
    defaults = Dictionary(
      variables.map { (JSONKey($0.name), $0.defaultValue) }, uniquingKeysWith: { first, _ in first }
    )
  }

  // MARK: Reading

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

  // MARK: Filling

  /// The most bytes that defaults may add to a text. The limit is ours: a short text can name a
  /// long default many times.
  private static let room = 65_536

  /// The text with each `!{name}` replaced by the variable's default; an unknown name becomes
  /// empty.
  func filled(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var position = 0
    while let start = Self.start(bytes, from: position),
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
    {
      output += bytes[position..<start]
      let name = String(decoding: bytes[start + 2..<end], as: UTF8.self)
      if output.count < Self.room { output += (defaults[JSONKey(name)] ?? "").utf8 }
      position = end + 1
    }
    return String(decoding: output + bytes[position...], as: UTF8.self)
  }

  /// The position of the next `!{`.
  private static func start(_ bytes: [UInt8], from position: Int) -> Int? {
    bytes.indices[position...].first { index in
      bytes[index] == UInt8(ascii: "!") && index + 1 < bytes.count
        && bytes[index + 1] == UInt8(ascii: "{")
    }
  }
}

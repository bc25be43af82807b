import EngagementJSON
import EngagementModel

/// Names a property of an event's data, such as `size`, or a value within one, such as `values.guests`.
///
/// A property whose own name has the dots in it goes before a value within another one.
struct PropertyPath: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// The value; nil if there is none.
  func value(in json: JSON) -> JSON? {
    guard let object = json.object else { return nil }
    if let value = object[text] { return value }
    for (name, rest) in splits {
      if let inner = object[name], let value = rest.value(in: inner) { return value }
    }
    return nil
  }

  /// Whether something has this path, or one that goes on after it with a dot. Arrays are looked through.
  func isIn(_ json: JSON) -> Bool { rest(of: json) != json }

  /// What is left without the value, and without those whose names begin with this path and a dot. Nil if
  /// nothing is left.
  func rest(of json: JSON) -> JSON? {
    switch json {
    case .array(let values):
      let left = values.compactMap(rest)
      return left.isEmpty && !values.isEmpty ? nil : .array(left)
    case .object(let object):
      let splits = splits
      var members: [JSONObject.Member] = []
      for member in object.members where !member.key.isOrBegins(with: text) {
        let inner = splits.filter { $0.name.hasSameBytes(as: member.key) }.map(\.rest)
        let value = inner.reduce(Optional(member.value)) { value, path in value.flatMap(path.rest) }
        if let value { members.append(.init(member.key, value)) }
      }
      return members.isEmpty && !object.isEmpty ? nil : .object(JSONObject(uniqueMembers: members))
    case .string, .integer, .number, .bool, .null: return json
    }
  }

  /// The ways to read the path as a name and what is within it.
  private var splits: [(name: String, rest: PropertyPath)] {
    text.indices.filter { text[$0] == "." }.compactMap { dot in
      let (name, rest) = (text[..<dot], text[text.index(after: dot)...])
      return name.isEmpty || rest.isEmpty ? nil : (String(name), PropertyPath(String(rest)))
    }
  }
}

extension String {
  fileprivate func isOrBegins(with name: String) -> Bool {
    utf8.elementsEqual(name.utf8) || utf8.starts(with: "\(name).".utf8)
  }
}

/// Notices which of the properties that a command names no event has, which may be spelt wrongly.
struct PropertyWatch: Sendable {
  private var unmet: Set<PropertyPath>
  /// The names of the properties that events had.
  private var seen: Set<String> = []
  private var hasEvents = false

  /// More names are not kept.
  private static let mostNames = 1_000

  init(_ paths: some Sequence<PropertyPath>) { unmet = Set(paths) }

  /// Those that no event had so far, each with a name like it that one had.
  var missing: [(name: String, meant: String?)] {
    guard hasEvents else { return [] }
    return unmet.map(\.text).sorted().map { ($0, NearestName.of($0, among: seen.sorted())) }
  }

  mutating func note(_ record: borrowing EventRecord) {
    hasEvents = true
    guard !unmet.isEmpty, case .json(let bytes) = record[.data],
      let data = try? JSON(parsing: bytes)
    else { return }
    for name in data.object?.members.map(\.key) ?? [] where seen.count < Self.mostNames {
      seen.insert(name)
    }
    unmet = unmet.filter { !$0.isIn(data) }
  }
}

import EngagementJSON
import EngagementModel

/// Finds what of an event tells who a person is: fields by their names, however they are spelt, and values by
/// what they are.
///
/// A name is personal by its English words, such as `phoneNumber`, `PHONE_NO` and `profile.Phone`. A value is
/// personal if the person's id is in it, as a text or a number, and if it is an address of e-mail or a phone
/// number with the sign + before it. Objects, arrays and JSON in texts are searched, too.
struct PersonalFields: Sendable {
  /// Whether a name is personal, with the names of the objects around it.
  private var names: [String: Bool] = [:]

  /// More names are looked at again each time.
  private static let mostNames = 10_000

  /// The event without what tells who the person is, apart from the user.
  ///
  /// - Parameters:
  ///   - ids: All ids of the person, and of the person's device.
  ///   - hash: What stands for an id or a source that has an id of the person in it; nil to leave it.
  mutating func removed(
    from event: borrowing EventRecord, ofPersonWith ids: [String],
    naming hash: ((String) -> String)? = nil
  ) -> EventRecord {
    let person = PersonIDs(ids)
    var rest = EventRecord()
    for column in EventColumn.allCases {
      switch column {
      case .data: send(event, without: person, to: &rest)
      case .id, .source:
        if let hash, let text = event.text(column), person.isIn(text) {
          rest.text(hash(text))
        } else {
          event.send(column, to: &rest)
        }
      case .type, .time, .sequence, .recordedTime, .uptime, .zoneOffset, .user, .provider,
        .surface:
        event.send(column, to: &rest)
      case .subject, .session, .container, .name:
        if let text = event.text(column), Self.isPersonal(text, person) {
          rest.missing()
        } else {
          event.send(column, to: &rest)
        }
      }
    }
    return rest
  }

  private mutating func send(
    _ event: borrowing EventRecord, without person: PersonIDs, to rest: inout EventRecord
  ) {
    guard case .json(let bytes) = event[.data] else { return rest.missing() }
    switch self.rest(of: bytes, person) {
    case .whole: rest.json(bytes.span.bytes)
    case .part(let left, _): rest.json(left.span.bytes)
    case .nothing: rest.missing()
    }
  }

  /// What is left of an event's data.
  enum Rest {
    case whole
    /// With the paths of what is lost.
    case part([UInt8], lost: [String])
    /// Without all for data that cannot be read and may hold what is to be left out.
    case nothing(lost: [String])
  }

  /// What is left of the JSON of an event's data.
  mutating func rest(of json: [UInt8], _ person: PersonIDs) -> Rest {
    guard let data = try? JSON(parsing: json) else { return .nothing(lost: []) }
    guard let left = rest(of: data, at: "", person) else {
      return .nothing(lost: data.object?.members.map(\.key) ?? [])
    }
    guard left != data else { return .whole }
    return .part(left.encoded(), lost: Self.lost(data, left, at: ""))
  }

  /// The paths of what is not there any more.
  private static func lost(_ whole: JSON, _ left: JSON?, at path: String) -> [String] {
    guard whole != left else { return [] }
    guard let left = left?.object, let object = whole.object else { return [path] }
    return object.members.flatMap { member in
      lost(member.value, left[member.key], at: path.isEmpty ? member.key : "\(path).\(member.key)")
    }
  }

  // MARK: Values

  /// Nil if nothing is left.
  private mutating func rest(of value: JSON, at path: String, _ person: PersonIDs) -> JSON? {
    switch value {
    case .object(let object):
      var members: [JSONObject.Member] = []
      for member in object.members {
        let place = "\(path) \(member.key)"
        guard member.value.isBoolOrNull || !isPersonal(place), !Self.isPersonal(member.key, person),
          let left = rest(of: member.value, at: place, person)
        else { continue }
        members.append(.init(member.key, left))
      }
      guard !members.isEmpty || object.isEmpty else { return nil }
      return .object(JSONObject(uniqueMembers: members))
    case .array(let values):
      let left = values.compactMap { rest(of: $0, at: path, person) }
      return left.isEmpty && !values.isEmpty ? nil : .array(left)
    case .string(let text):
      return Self.isPersonal(text, person) || hasPersonalParts(text, at: path, person)
        ? nil : value
    case .integer(let number): return person.areNumber(Double(number), "\(number)") ? nil : value
    case .number(let number): return person.areNumber(number, "\(number)") ? nil : value
    case .bool, .null: return value
    }
  }

  /// Encodings may lie in each other, as in an address within the query of another one.
  private static let mostEncodings = 4

  static func isPersonal(_ text: String, _ person: PersonIDs) -> Bool {
    var reading = text
    for _ in 0...mostEncodings {
      if person.isIn(reading) || ContactText.isIn(reading) { return true }
      if reading.utf8.contains(UInt8(ascii: "+")),
        person.isIn(reading.replacing("+", with: " "))
      {
        return true
      }
      guard let decoded = EncodedText.decoded(reading) else { return false }
      reading = decoded
    }
    return false
  }

  /// Whether a text is JSON that has something personal in it.
  private mutating func hasPersonalParts(
    _ text: String, at path: String, _ person: PersonIDs
  ) -> Bool {
    guard let first = text.utf8.first(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let value = try? JSON(parsing: Array(text.utf8))
    else { return false }
    return rest(of: value, at: path, person) != value
  }

  // MARK: Names

  /// Whether the last name of a path tells that its value is personal.
  private mutating func isPersonal(_ path: String) -> Bool {
    if let known = names[path] { return known }
    let isPersonal = PersonalNames.areIn(path)
    if names.count < Self.mostNames { names[path] = isPersonal }
    return isPersonal
  }
}

extension JSON {
  /// Such a value identifies nobody, whatever its name is.
  fileprivate var isBoolOrNull: Bool {
    switch self {
    case .bool, .null: true
    case .object, .array, .string, .integer, .number: false
    }
  }
}

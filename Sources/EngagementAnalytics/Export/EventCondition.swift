import EngagementFormats
import EngagementJSON
public import EngagementModel
import EngagementPlatform

/// A condition on one field of an event, such as `provider=braze` or `data.price>=10`.
///
/// A field that an event lacks fulfils only `!=`.
public struct EventCondition: Hashable, Sendable {
  private enum Relation: String, CaseIterable {
    // Those of two characters come first, since each begins with one of the others.
    case notEqual = "!="
    case atLeast = ">="
    case atMost = "<="
    case equal = "="
    case above = ">"
    case below = "<"
  }

  private enum Value: Hashable {
    case text([UInt8])
    case integer(Int64)
  }

  /// The condition as it was given.
  public let text: String
  private let field: EventField
  private let relation: Relation
  private let value: Value
  /// The value as a number, if it is one.
  private let number: Double?

  /// Throws `invalidArgument` for a text that is no condition.
  public init(_ text: String) throws(EngagementError) {
    let signs = Array("!<>=".utf8)
    let utf8 = text.utf8
    guard let start = utf8.firstIndex(where: signs.contains),
      let relation = Relation.allCases.first(where: { text[start...].hasPrefix($0.rawValue) })
    else {
      throw EngagementError(
        .invalidArgument,
        "A condition is a field, one of = != < <= > >= and a value, such as provider=braze.")
    }
    let name = String(text[..<start])
    guard name.last?.isWhitespace != true else { throw Self.blank(relation) }
    guard let field = EventField(name) else {
      throw EngagementError(
        .invalidArgument,
        "\"\(name)\" is no field of an event. There are \(Self.fields), and data.NAME for a property."
      )
    }
    let value = String(text[utf8.index(start, offsetBy: relation.rawValue.utf8.count)...])
    guard value.first?.isWhitespace != true else { throw Self.blank(relation) }
    (self.text, self.field, self.relation) = (text, field, relation)
    self.value = try Self.value(value, of: field)
    number = Double(value)
  }

  private static func blank(_ relation: Relation) -> EngagementError {
    EngagementError(
      .invalidArgument, "Write no blanks beside \(relation.rawValue), as in data.size=large.")
  }

  /// Whether it asks for users.
  package var isOfUser: Bool { field == .column(.user) }

  /// Whether the field, or the value, tells who a person is where users are hashed.
  package var isPersonal: Bool {
    guard case .text(let value) = value else { return false }
    let text = String(decoding: value, as: UTF8.self)
    return switch field {
    case .column(.user): value.count != PersonHash.length
    case .property(let name):
      PersonalNames.areIn(name) || [name, text].contains(where: ContactText.isIn)
    case .column(.name), .column(.data): ContactText.isIn(text)
    case .column: false
    }
  }

  /// The property that it asks for; nil for a column.
  var property: PropertyPath? {
    if case .property(let name) = field { PropertyPath(name) } else { nil }
  }

  /// Whether it asks for what the application or a person may have written.
  var asksForContent: Bool {
    switch field {
    case .property, .column(.name), .column(.subject), .column(.session), .column(.container): true
    case .column: false
    }
  }

  /// Whether the value, or the name of the property, names one of these people.
  package func names(_ people: PersonIDs) -> Bool {
    guard case .text(let value) = value else { return false }
    guard asksForContent else { return false }
    let texts = [String(decoding: value, as: UTF8.self), property?.text].compactMap(\.self)
    return texts.contains { text in
      PersonalFields.isPersonal(text, people) || number.map { people.areNumber($0, text) } == true
    }
  }

  private static let fields = EventColumn.allCases.map(\.name).joined(separator: ", ")

  private static func value(_ text: String, of field: EventField) throws(EngagementError) -> Value {
    switch field {
    case .column(.sequence), .column(.uptime), .column(.zoneOffset):
      guard let integer = Int64(text) else {
        throw EngagementError(.invalidArgument, "\"\(text)\" is no whole number.")
      }
      return .integer(integer)
    case .column(.time), .column(.recordedTime):
      guard let date = ISO8601.date(from: text) ?? ISO8601.day(from: text),
        let milliseconds = Epoch.milliseconds(of: date)
      else {
        throw EngagementError(
          .invalidArgument,
          "\"\(text)\" is no day such as 2026-11-01 and no time such as 2026-11-01T09:00:00Z.")
      }
      return .integer(milliseconds)
    case .column(.data):
      throw EngagementError(
        .invalidArgument, "A condition names one property, such as data.size=large.")
    case .column, .property: return .text(Array(text.utf8))
    }
  }

  /// Whether the event fulfils the condition.
  ///
  /// - Parameter userName: How the condition names a user whose id the event has.
  public func holds(
    for event: borrowing EventRecord, naming userName: ((String) -> String)? = nil
  ) -> Bool {
    let cell =
      switch field {
      case .column(.user): Self.user(of: event, naming: userName)
      case .column(let column): event[column]
      case .property: event[.data]
      }
    switch (cell, value) {
    case (.text(let text), .text(let wanted)):
      return holds(text, wanted) { $0.lexicographicallyPrecedes($1) }
    case (.integer(let integer), .integer(let wanted)), (.time(let integer), .integer(let wanted)):
      return holds(integer, wanted, by: <)
    case (.json(let json), .text(let wanted)): return holds(for: json, wanted)
    case (.missing, _), (.text, _), (.integer, _), (.time, _), (.json, _):
      return relation == .notEqual
    }
  }

  private static func user(
    of event: borrowing EventRecord, naming userName: ((String) -> String)?
  ) -> EventRecord.Cell {
    guard let userName, let id = event.text(.user) else { return event[.user] }
    return .text(userName(id))
  }

  private func holds(for data: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard case .property(let name) = field, let data = try? JSON(parsing: data),
      let value = PropertyPath(name).value(in: data)
    else { return relation == .notEqual }
    switch value {
    case .string(let text):
      return holds(Array(text.utf8), wanted) { $0.lexicographicallyPrecedes($1) }
    case .bool(let bool): return holds(Array("\(bool)".utf8), wanted) { _, _ in false }
    case .integer, .number:
      guard let number, let found = value.number else { return relation == .notEqual }
      return holds(found, number, by: <)
    case .null, .array, .object: return relation == .notEqual
    }
  }

  private func holds<Compared: Equatable>(
    _ found: Compared, _ wanted: Compared, by precedes: (Compared, Compared) -> Bool
  ) -> Bool {
    switch relation {
    case .equal: found == wanted
    case .notEqual: found != wanted
    case .below: precedes(found, wanted)
    case .atMost: precedes(found, wanted) || found == wanted
    case .above: precedes(wanted, found)
    case .atLeast: precedes(wanted, found) || found == wanted
    }
  }
}

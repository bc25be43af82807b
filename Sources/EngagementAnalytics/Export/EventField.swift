import EngagementJSON
public import EngagementModel

/// A column of an exported event, or one property in its data, such as `provider` or `data.size`.
public enum EventField: Hashable, Sendable {
  case column(EventColumn)
  case property(String)

  /// Nil for a text that names no field.
  public init?(_ text: String) {
    if let column = EventColumn.allCases.first(where: { $0.name == text }) {
      self = .column(column)
    } else if text.hasPrefix("data."), text.utf8.count > 5 {
      self = .property(String(text.dropFirst(5)))
    } else {
      return nil
    }
  }
}

/// Which fields an export leaves out.
///
/// Without the user, an event has nothing else in it that tells who the person is.
public struct EventRedaction: Sendable {
  private let columns: Set<EventColumn>
  private let properties: [String]
  private var personal = PersonalFields()
  /// The names of the properties that events had, and those of ours that none had.
  private var (seen, unmet): (Set<String>, Set<String>)
  private var hasEvents = false

  /// More names are not kept.
  private static let mostNames = 1_000

  /// The columns that an event always has: without them two events could not be told apart.
  public static let required: Set<EventColumn> = [.id, .source, .type, .time, .sequence]

  /// Throws `invalidArgument` for a column that an event always has.
  public init(_ fields: [EventField]) throws(EngagementError) {
    var (columns, properties): (Set<EventColumn>, [String]) = ([], [])
    for field in fields {
      switch field {
      case .column(let column) where Self.required.contains(column):
        throw EngagementError(
          .invalidArgument, "Every event has its \(column.name); it cannot be left out.")
      case .column(let column): columns.insert(column)
      case .property(let name): properties.append(name)
      }
    }
    (self.columns, self.properties) = (columns, properties)
    (seen, unmet) = ([], Set(properties))
  }

  public var isEmpty: Bool { columns.isEmpty && properties.isEmpty }

  /// Whether nothing is to tell who the person is.
  package var hidesUsers: Bool { columns.contains(.user) }

  /// The properties that no event had so far, each with a name like it that one had.
  package var unmetProperties: [(name: String, meant: String?)] {
    guard hasEvents else { return [] }
    return unmet.sorted().map { ($0, NearestName.of($0, among: seen.sorted())) }
  }

  /// The fields, as they were named, sorted.
  public var names: [String] {
    (columns.map(\.name) + properties.map { "data.\($0)" }).sorted()
  }

  /// Sends the event on without these fields.
  public mutating func send(_ record: borrowing EventRecord, to sink: inout some EventSink) {
    hasEvents = true
    note(record)
    guard hidesUsers else { return sendFields(of: record, to: &sink) }
    let ids = [record.text(.user)].compactMap(\.self)
    let rest = personal.removed(from: record, ofPersonWith: ids)
    sendFields(of: rest, to: &sink)
  }

  /// Notes which properties the event has, as long as one of ours was in none.
  private mutating func note(_ record: borrowing EventRecord) {
    guard !unmet.isEmpty, case .json(let json) = record[.data],
      let fields = try? JSONFields(json[...])
    else { return }
    for name in fields.keys where !seen.contains(name) {
      if seen.count < Self.mostNames { seen.insert(name) }
      unmet = unmet.filter { !name.isOrBegins(with: $0) }
    }
  }

  private func sendFields(
    of record: borrowing EventRecord, to sink: inout some EventSink
  ) {
    for column in EventColumn.allCases {
      if columns.contains(column) {
        sink.missing()
      } else if column == .data, !properties.isEmpty, case .json(let json) = record[.data] {
        sendRest(of: json, to: &sink)
      } else {
        record.send(column, to: &sink)
      }
    }
    sink.endEvent()
  }

  /// What begins with a property's name and a dot belongs to it.
  private func sendRest(of data: [UInt8], to sink: inout some EventSink) {
    // What cannot be read may hold what is to be left out.
    guard var object = (try? JSON(parsing: data))?.object else { return sink.missing() }
    let names = object.members.map(\.key)
    for name in names where properties.contains(where: { name.isOrBegins(with: $0) }) {
      object[name] = nil
    }
    guard !object.isEmpty else { return sink.missing() }
    let rest = JSON.object(object).encoded()
    sink.json(rest.span.bytes)
  }
}

extension String {
  fileprivate func isOrBegins(with name: String) -> Bool {
    utf8.elementsEqual(name.utf8) || utf8.starts(with: "\(name).".utf8)
  }
}

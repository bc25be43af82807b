import EngagementJSON
public import EngagementModel

/// A column of an exported event, or a value in its data, such as `provider`, `data.size` or
/// `data.values.guests`.
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
  private let properties: [PropertyPath]
  private var personal = PersonalFields()
  private var watch: PropertyWatch

  /// The columns that an event always has: without them two events could not be told apart.
  public static let required: Set<EventColumn> = [.id, .source, .type, .time, .sequence]

  /// Throws `invalidArgument` for a column that an event always has.
  public init(_ fields: [EventField]) throws(EngagementError) {
    var (columns, properties): (Set<EventColumn>, [PropertyPath]) = ([], [])
    for field in fields {
      switch field {
      case .column(let column) where Self.required.contains(column):
        throw EngagementError(
          .invalidArgument, "Every event has its \(column.name); it cannot be left out.")
      case .column(let column): columns.insert(column)
      case .property(let name): properties.append(PropertyPath(name))
      }
    }
    (self.columns, self.properties) = (columns, properties)
    watch = PropertyWatch(properties)
  }

  public var isEmpty: Bool { columns.isEmpty && properties.isEmpty }

  /// Whether nothing is to tell who the person is.
  package var hidesUsers: Bool { columns.contains(.user) }

  /// The properties that no event had so far, each with a name like it that one had.
  package var unmetProperties: [(name: String, meant: String?)] { watch.missing }

  /// The fields, as they were named, sorted.
  public var names: [String] {
    (columns.map(\.name) + properties.map { "data.\($0.text)" }).sorted()
  }

  /// Sends the event on without these fields.
  public mutating func send(_ record: EventRecord, to sink: inout some EventSink) {
    watch.note(record)
    guard hidesUsers else { return sendFields(of: record, to: &sink) }
    sendFields(of: withoutPerson(record), to: &sink)
  }

  /// The event without what tells who its person is, apart from the user, where that is left out.
  mutating func withoutPerson(_ record: EventRecord) -> EventRecord {
    guard hidesUsers else { return record }
    return personal.removed(from: record, ofPersonWith: [record.text(.user)].compactMap(\.self))
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

  private func sendRest(of data: [UInt8], to sink: inout some EventSink) {
    // What cannot be read may hold what is to be left out.
    guard let json = try? JSON(parsing: data), json.object != nil else { return sink.missing() }
    var rest = json
    for path in properties {
      guard let left = path.rest(of: rest) else { return sink.missing() }
      rest = left
    }
    guard rest.object?.isEmpty == false else { return sink.missing() }
    let bytes = rest.encoded()
    sink.json(bytes.span.bytes)
  }
}

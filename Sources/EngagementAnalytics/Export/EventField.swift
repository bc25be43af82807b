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
public struct EventRedaction: Hashable, Sendable {
  private let columns: Set<EventColumn>
  private let properties: [String]

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
  }

  public var isEmpty: Bool { columns.isEmpty && properties.isEmpty }

  /// The fields, as they were named, sorted.
  public var names: [String] {
    (columns.map(\.name) + properties.map { "data.\($0)" }).sorted()
  }

  /// Sends the event on without these fields.
  public func send(_ record: borrowing EventRecord, to sink: inout some EventSink) {
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

import EngagementFormats
import EngagementJSON
import EngagementModel

/// Reads CloudEvents 1.0 as JSON, one event a line. Empty lines are passed over.
public struct NDJSONDecoder: EventDecoder {
  private var lines = EventLines()
  private var reading = NDJSONLineReading()

  public init() {}

  public mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    try lines.split(bytes) { number, line in
      try body(number, reading.event(line))
    }
  }

  public mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows {
    try lines.end { number, line in try body(number, reading.event(line)) }
  }

  public var notes: [String] { reading.notes }
}

/// Reads one line after the other.
private struct NDJSONLineReading {
  private var foreign = ForeignNames()

  var notes: [String] { [foreign.note("fields")].compactMap(\.self) }

  mutating func event(_ line: [UInt8]?) -> DecodedEvent {
    guard let line else { return .tooLong }
    let fields: JSONFields
    do throws(JSONFault) { fields = try JSONFields(line[...]) } catch { return .unreadable(error) }
    guard fields.string("specversion") == "1.0" else {
      return .fault("It is no event of CloudEvents 1.0: its specversion is not \"1.0\".")
    }
    var record = EventRecord()
    for column in EventColumn.allCases {
      if let fault = Self.append(column, of: fields, to: &record) { return .fault(fault) }
    }
    if fields.count > Self.fewestFields, let fault = note(fields) { return .fault(fault) }
    return .event(record)
  }

  /// Notes the fields that we have no column for. Returns what is wrong with one.
  private mutating func note(_ fields: JSONFields) -> String? {
    let keys = fields.keys
    let others = keys.filter { !Self.known.contains($0) }
    guard !others.isEmpty else { return nil }
    let lacking = EventColumn.allCases.map(\.name).filter { !keys.contains($0) }
    for name in others {
      if let meant = ForeignNames.column(meantBy: name, among: lacking) {
        return "\"\(name)\" is no field; did you mean \"\(meant)\"?"
      }
      foreign.add(name)
    }
    return nil
  }

  /// An event has its specversion and what is required.
  private static let fewestFields = 1 + EventRedaction.required.count
  /// The fields that we read, and those of CloudEvents that tell nothing of an event.
  private static let known: Set<String> = Set(EventColumn.allCases.map(\.name)).union([
    "specversion", "datacontenttype", "dataschema",
  ])

  /// Returns what is wrong with the field.
  private static func append(
    _ column: EventColumn, of fields: JSONFields, to record: inout EventRecord
  ) -> String? {
    let key = JSONKey(column.name)
    let kind = fields.kind(of: key)
    guard let kind, kind != .null else {
      record.missing()
      return column.isRequired ? "It has no \(column.name)." : nil
    }
    switch column.content {
    case .text:
      guard let text = fields.string(key) else { return "Its \(column.name) is no text." }
      let utf8 = text.utf8
      return record.append(utf8.span.bytes, as: column)
    case .integer:
      guard let value = fields.integer(key) else { return "Its \(column.name) is no whole number." }
      record.integer(value)
    case .time:
      guard
        let milliseconds = fields.string(key).flatMap(ISO8601.date)
          .flatMap(Epoch.milliseconds)
      else {
        return "Its \(column.name) is no time of ISO 8601."
      }
      record.time(milliseconds)
    case .json:
      guard let json = fields.raw(key) else { return "Its \(column.name) is no JSON." }
      record.json(json.span.bytes)
    }
    return nil
  }
}

extension EventColumn {
  enum Content {
    case text, integer, time, json
  }

  var content: Content {
    switch self {
    case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container, .name:
      .text
    case .sequence, .uptime, .zoneOffset: .integer
    case .time, .recordedTime: .time
    case .data: .json
    }
  }

  /// Whether an event without it is none.
  var isRequired: Bool { EventRedaction.required.contains(self) }
}

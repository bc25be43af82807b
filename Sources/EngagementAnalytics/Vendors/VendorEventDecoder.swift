import EngagementFormats
import EngagementJSON
import EngagementModel

/// Reads events as a vendor exports them, one JSON object a line.
///
/// An event without an id gets one from its bytes and from how many lines before it have the same, so
/// that it is known when its file is read again. Its sequence is the number of its line.
public struct VendorEventDecoder: EventDecoder {
  private var lines = EventLines()
  private var reading: VendorLineReading

  /// - Parameter userName: How a user's id is called in what is read.
  public init(
    _ table: VendorEventTable, naming userName: @escaping @Sendable (String) -> String = { $0 }
  ) {
    reading = VendorLineReading(table: table, userName: userName)
  }

  public mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    try lines.split(bytes) { number, line in try body(number, reading.event(line, number)) }
  }

  public mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows {
    try lines.end { number, line in try body(number, reading.event(line, number)) }
  }
}

/// Reads one line after the other.
private struct VendorLineReading {
  let table: VendorEventTable
  let userName: @Sendable (String) -> String
  /// How often each line came that has no id.
  private var counts: [SHA256.Digest: Int] = [:]

  init(table: VendorEventTable, userName: @escaping @Sendable (String) -> String) {
    (self.table, self.userName) = (table, userName)
  }

  mutating func event(_ line: [UInt8]?, _ number: Int) -> DecodedEvent {
    guard let line else { return .tooLong }
    guard let fields = try? JSONFields(line[...]) else { return .fault("It is no JSON object.") }
    guard let name = fields.value(at: table.nameField).flatMap(ReadVendorEvent.text) else {
      return .fault("It has no \(table.nameField.text).")
    }
    guard let time = fields.value(at: table.timeField) else {
      return .fault("It has no \(table.timeField.text).")
    }
    guard let milliseconds = table.timeFormat.milliseconds(time) else {
      return .fault("Its \(table.timeField.text) is no \(table.timeFormat.title).")
    }
    var event = ReadVendorEvent(name, at: milliseconds, table)
    event.take(fields, at: [])
    event.user = event.user.map(userName)
    return .event(event.record(number, named: event.id ?? madeID(of: line)))
  }

  private mutating func madeID(of line: [UInt8]) -> String {
    let digest = SHA256.digest(of: line)
    let count = counts[digest, default: 0] + 1
    counts[digest] = count
    let id = table.madeIDPrefix + digest.description.prefix(32)
    return count == 1 ? id : "\(id)-\(count)"
  }
}

/// One event of a vendor, while it is read.
private struct ReadVendorEvent {
  private let table: VendorEventTable
  private let name: String
  private let milliseconds: Int64
  private let event: VendorEventTable.Event?
  private var texts: [EventColumn: String] = [:]
  private var properties: [(name: String, value: ArraySlice<UInt8>)] = []
  /// By their bytes: texts that look alike are two names.
  private var propertyNames: Set<[UInt8]> = []
  private let fields: [VendorEventTable.Path: EventField]
  /// The objects whose members the table tells apart.
  private let objects: Set<[String]>

  init(_ name: String, at milliseconds: Int64, _ table: VendorEventTable) {
    (self.table, self.name, self.milliseconds) = (table, name, milliseconds)
    event = table.event(named: name)
    let fields = table.fields(of: event)
    self.fields = Dictionary(
      fields.map { ($0.path, $0.field) }, uniquingKeysWith: { first, _ in first })
    var objects: Set<[String]> = [table.properties(of: event).names]
    for path in fields.map(\.path) + [
      table.nameField, table.timeField, table.properties(of: event),
    ] {
      for count in 1..<max(path.names.count, 1) { objects.insert(Array(path.names.prefix(count))) }
    }
    self.objects = objects
  }

  mutating func take(_ members: JSONFields, at path: [String]) {
    for member in members.members {
      let place = path + [member.key]
      if objects.contains(place), let object = try? JSONFields(member.value), object.count > 0 {
        take(object, at: place)
      } else if !isTaken(member, VendorEventTable.Path(place)) {
        add(table.keptName(of: place), member.value)
      }
    }
  }

  /// Whether the value comes back as it is from what was taken.
  private mutating func isTaken(
    _ member: JSONFields.Member, _ path: VendorEventTable.Path
  ) -> Bool {
    if path == table.nameField { return event != nil || table.customName == nil }
    if path == table.timeField {
      return table.timeFormat.value(milliseconds).elementsEqual(member.value)
    }
    switch fields[path] {
    case .column(let column)?:
      guard let text = Self.text(member.value), texts[column] == nil else { return false }
      texts[column] = text
      return member.value.first == UInt8(ascii: "\"")
    case .property(let name)?: return add(name, member.value)
    case nil:
      guard path.names.dropLast() == table.properties(of: event).names[...],
        table.keptField(member.key) == nil, !isOfField(member.key)
      else { return false }
      return add(member.key, member.value)
    }
  }

  /// Whether a property of this name is written to a field elsewhere.
  private func isOfField(_ name: String) -> Bool {
    fields.values.contains { $0 == .property(name) }
  }

  /// The text of a string or a number; nil for what no column can hold.
  static func text(_ value: ArraySlice<UInt8>) -> String? {
    guard let first = value.first else { return nil }
    if first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first {
      return String(decoding: value, as: UTF8.self)
    }
    guard let text = (try? JSON(parsing: value))?.string, !text.isEmpty, !text.utf8.contains(0)
    else { return nil }
    return text
  }

  @discardableResult
  private mutating func add(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
    guard propertyNames.insert(Array(name.utf8)).inserted else { return false }
    properties.append((name, value))
    return true
  }

  // MARK: What it is with us

  /// Nil if the vendor gives none.
  var id: String? { texts[.id] }

  var user: String? {
    get { texts[.user] }
    set { texts[.user] = newValue }
  }

  func record(_ number: Int, named id: String) -> EventRecord {
    var record = EventRecord()
    for column in EventColumn.allCases {
      switch column {
      case .time: record.time(milliseconds)
      case .sequence: record.integer(Int64(number))
      case .data: appendData(to: &record)
      case .id: record.text(id)
      case .source: record.text(texts[.source] ?? table.source)
      case .type: record.text(type)
      case .subject:
        append(texts[.subject].map { "\(table.provider.rawValue)/\($0)" }, to: &record)
      case .provider: append(event?.hasItem == true ? table.provider.rawValue : nil, to: &record)
      case .surface: append(event?.surface?.rawValue, to: &record)
      case .name: append(ownName, to: &record)
      case .user, .session, .container: append(texts[column], to: &record)
      case .recordedTime, .uptime, .zoneOffset: record.missing()
      }
    }
    return record
  }

  /// The name of a custom event, as the vendor has it.
  private var writtenName: String? {
    guard let event else { return name }
    return event.kind == .custom ? texts[.name] : nil
  }

  /// A type of ours that the vendor has as a custom event, or what the table says.
  private var type: String {
    if let writtenName, table.customName(writtenName) == nil { return writtenName }
    return EventType.type(of: event?.kind ?? .custom, on: event?.surface)
  }

  private var ownName: String? {
    guard let writtenName else { return texts[.name] }
    return table.customName(writtenName)
  }

  private func append(_ text: String?, to record: inout EventRecord) {
    if let text { record.text(text) } else { record.missing() }
  }

  private func appendData(to record: inout EventRecord) {
    guard !properties.isEmpty else { return record.missing() }
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in properties {
      writer.key(name)
      writer.raw(value)
    }
    writer.endObject()
    record.json(writer.bytes.span.bytes)
  }
}

extension JSONFields {
  fileprivate func value(at path: VendorEventTable.Path) -> ArraySlice<UInt8>? {
    var object: JSONFields? = self
    for name in path.names.dropLast() { object = object?.fields(JSONKey(name)) }
    return path.names.last.flatMap { object?.raw(JSONKey($0)) }
  }
}

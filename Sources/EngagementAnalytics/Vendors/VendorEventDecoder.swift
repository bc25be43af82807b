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

  /// - Parameter userName: How a user's id is called in what is read, which then has nothing else that
  ///   tells who a person is; nil to leave all as it is.
  public init(
    _ table: VendorEventTable, naming userName: (@Sendable (String) -> String)? = nil
  ) {
    reading = VendorLineReading(table: table, userName: userName)
  }

  public mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    try lines.split(bytes) { number, line in
      if let event = reading.event(line, number) { try body(number, event) }
    }
  }

  public mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows {
    try lines.end { number, line in
      if let event = reading.event(line, number) { try body(number, event) }
    }
  }
}

/// Reads one line after the other.
private struct VendorLineReading {
  let table: VendorEventTable
  let userName: (@Sendable (String) -> String)?
  private var personal = PersonalFields()
  /// How often each line came that has no id.
  private var counts: [SHA256.Digest: Int] = [:]
  /// The name of the events, if it stands on the first line.
  private var heading: String?

  init(table: VendorEventTable, userName: (@Sendable (String) -> String)?) {
    (self.table, self.userName) = (table, userName)
  }

  /// Nil for the heading.
  mutating func event(_ line: [UInt8]?, _ number: Int) -> DecodedEvent? {
    guard let line else { return .tooLong }
    let fields: JSONFields
    do throws(JSONFault) {
      fields = try JSONFields(line[...])
    } catch {
      guard number == 1, table.hasHeading, let text = VendorText.ofHeading(line) else {
        return .unreadable(error)
      }
      heading = text
      return nil
    }
    guard let name = fields.value(at: table.nameField).flatMap(VendorText.of) ?? heading else {
      return .fault("It has no \(table.nameField.text).")
    }
    guard let time = fields.value(at: table.timeField) else {
      return .fault("It has no \(table.timeField.text).")
    }
    guard let milliseconds = table.timeFormat.milliseconds(time) else {
      return .fault("Its \(table.timeField.text) is no \(table.timeFormat.title).")
    }
    var event = ReadVendorEvent(name, of: fields, at: milliseconds, table)
    event.take(fields, at: [], leavingOut: userName == nil ? [] : table.personal + userFields)
    let record = event.record(number, named: event.id ?? madeID(of: line))
    guard let userName else { return .event(record) }
    var ids = userFields.compactMap { fields.value(at: $0).flatMap(VendorText.of) }
    // A vendor's id of a device is of one person, too.
    if let source = record.text(.source), source != table.source {
      ids.append(InstallationID.written(source))
    }
    return .event(
      personal.removed(from: record, ofPersonWith: ids, naming: userName)
        .replacing(.user, with: record.text(.user).map(userName)))
  }

  /// Where the vendor has an id of the user.
  private var userFields: [VendorEventTable.Path] {
    table.fields.filter { $0.field == .column(.user) }.flatMap { [$0.path] + $0.sources }
  }

  private mutating func madeID(of line: [UInt8]) -> String {
    let digest = SHA256.digest(of: line)
    let count = counts[digest, default: 0] + 1
    counts[digest] = count
    // The line has the user. Without the key, guessed lines could be tried on their digests.
    let text = digest.description
    let id = table.madeIDPrefix + (userName?(text) ?? text).prefix(32)
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
  /// The fields that come back from the columns that were read of them.
  private var taken: Set<VendorEventTable.Path> = []
  private let surface: Surface?
  /// The objects whose members the table tells apart.
  private let objects: Set<[String]>

  init(
    _ name: String, of record: JSONFields, at milliseconds: Int64, _ table: VendorEventTable
  ) {
    (self.table, self.name, self.milliseconds) = (table, name, milliseconds)
    let event = table.event(named: name) { condition in
      record.value(at: condition.path).flatMap(VendorText.of) == condition.text
    }
    self.event = event
    let fields = table.fields(of: event)
    self.fields = Dictionary(
      fields.map { ($0.path, $0.field) }, uniquingKeysWith: { first, _ in first })
    let text = event?.hasItem == true ? table.surfaces.flatMap { record.value(at: $0.path) } : nil
    surface =
      event?.surface
      ?? text.flatMap(VendorText.of).flatMap { text in
        table.surfaces?.names.first { text.hasPrefix($0.text) }?.surface
      }
    var objects: Set<[String]> = [table.properties(of: event).names]
    for path in fields.flatMap({ [$0.path] + $0.sources }) + table.personal + [
      table.nameField, table.timeField, table.properties(of: event),
    ] {
      for count in 1..<max(path.names.count, 1) { objects.insert(Array(path.names.prefix(count))) }
    }
    self.objects = objects
    for field in fields { read(field, of: record) }
  }

  private mutating func read(_ field: VendorEventTable.Field, of record: JSONFields) {
    guard case .column(let column) = field.field, texts[column] == nil else { return }
    let found = field.sources.compactMap { path in
      record.value(at: path).flatMap { value in
        VendorText.of(value).flatMap(field.read).map { (path: path, text: $0, value: value) }
      }
    }
    guard let first = found.first else { return }
    texts[column] = column == .source ? InstallationID.read(first.text) : first.text
    // It comes back from the column, unless it would seem to have been read of another field.
    let isAlone = found.dropFirst().allSatisfy { !$0.text.hasSameBytes(as: first.text) }
    if first.path == field.path, isAlone, VendorText.isText(first.value, first.text),
      column != .source || InstallationID.written(InstallationID.read(first.text)) == first.text
    {
      taken.insert(field.path)
    }
  }

  mutating func take(
    _ members: JSONFields, at path: [String], leavingOut personal: [VendorEventTable.Path]
  ) {
    for member in members.members {
      let place = path + [member.key]
      if personal.contains(where: { place.starts(with: $0.names) }) { continue }
      if objects.contains(place), let object = try? JSONFields(member.value), object.count > 0 {
        take(object, at: place, leavingOut: personal)
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
    case .column?: return taken.remove(path) != nil
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

  @discardableResult
  private mutating func add(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
    guard propertyNames.insert(Array(name.utf8)).inserted else { return false }
    properties.append((name, value))
    return true
  }

  // MARK: What it is with us

  /// Nil if the vendor gives none.
  var id: String? { texts[.id] }

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
      case .surface: append(surface?.rawValue, to: &record)
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
    return EventType.type(of: event?.kind ?? .custom, on: surface)
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

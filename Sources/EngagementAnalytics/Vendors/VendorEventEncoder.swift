import EngagementJSON
public import EngagementModel

/// Writes events as a vendor exports them, one JSON object a line.
///
/// What the vendor has no word for is left out: see `VendorEventTable`. An event whose type it does not
/// have, or that is another provider's, is a custom event under our type, so that no import counts it as
/// this vendor's. What was done to an item that was shown as one of the other kind has the vendor's word.
public struct VendorEventEncoder: EventEncoder {
  public private(set) var bytes: [UInt8] = []
  private let table: VendorEventTable
  private var record = EventRecord()

  public init(_ table: VendorEventTable) { self.table = table }

  public mutating func takeBytes() { bytes.removeAll(keepingCapacity: true) }
  public mutating func begin() {}
  public mutating func finish() {}

  public mutating func missing() { record.missing() }
  public mutating func text(_ text: RawSpan) { record.text(text) }
  public mutating func integer(_ value: Int64) { record.integer(value) }
  public mutating func time(_ milliseconds: Int64) { record.time(milliseconds) }
  public mutating func json(_ json: RawSpan) { record.json(json) }

  public mutating func endEvent() {
    var event = WrittenVendorEvent(record, table)
    bytes += event.line()
    bytes.append(UInt8(ascii: "\n"))
    record.removeAll()
  }
}

/// One event of ours, while it is written as a vendor's.
private struct WrittenVendorEvent {
  private let record: EventRecord
  private let table: VendorEventTable
  private var own: [(name: String, value: ArraySlice<UInt8>)] = []
  private var kept: [(path: [String], value: ArraySlice<UInt8>)] = []
  private var object = VendorObject()

  init(_ record: EventRecord, _ table: VendorEventTable) {
    (self.record, self.table) = (record, table)
    guard case .json(let data) = record[.data], let fields = try? JSONFields(data[...]) else {
      return
    }
    for member in fields.members {
      if let path = table.keptField(member.key) {
        kept.append((path, member.value))
      } else {
        own.append((member.key, member.value))
      }
    }
  }

  mutating func line() -> [UInt8] {
    let event = writeName()
    if case .time(let milliseconds) = record[.time] {
      object.set(table.timeField.names, table.timeFormat.value(milliseconds)[...])
    }
    for field in table.fields(of: event) { write(field) }
    if let condition = event?.condition { set(condition.path, condition.text) }
    if let event, event.hasItem, event.surface == nil { writeSurface() }
    let properties = table.properties(of: event).names
    for (name, value) in own { object.set(properties + [name], value) }
    // The vendor's own fields come last: where one was kept, it is what the vendor wrote.
    for (path, value) in kept { object.set(path, value) }
    var writer = JSONWriter()
    object.write(to: &writer)
    return writer.bytes
  }

  /// Writes the name of the event and returns what the table says of it.
  private mutating func writeName() -> VendorEventTable.Event? {
    let type = text(.type) ?? ""
    let kind = EventType.kind(of: type, on: text(.surface).map { Surface($0) })
    if kept.contains(where: { $0.path == table.nameField.names }) { return nil }
    let isOwn = text(.provider).map { $0 == table.provider.rawValue } ?? true
    if kind != .custom, isOwn, let event = vendorsOwn() ?? table.event(of: kind, type) {
      own.removeAll { $0.name == EngagementEvent.vendorKindName }
      set(table.nameField, event.name)
      return event
    }
    let name = kind == .custom ? text(.name).map(table.written) : type
    guard let customName = table.customName, let event = table.event(named: customName) else {
      set(table.nameField, name ?? type)
      return nil
    }
    set(table.nameField, customName)
    guard let name else { return event }
    for field in event.fields where field.field == .column(.name) { set(field.path, name) }
    return event
  }

  /// What the table has for the vendor's word for what was done to a bridged item.
  private func vendorsOwn() -> VendorEventTable.Event? {
    guard let word = own.first(where: { $0.name == EngagementEvent.vendorKindName }),
      let kind = VendorText.of(word.value).map(EngagementEvent.Kind.init(_:))
    else { return nil }
    let surface = text(.surface).map { Surface($0) }
    return table.event(of: kind, EventType.type(of: kind, on: surface))
  }

  private mutating func write(_ field: VendorEventTable.Field) {
    switch field.field {
    case .column(.name) where object.hasValue(at: field.path.names): break
    case .column(let column):
      guard let text = vendorText(column), !isRead(text, elsewhereThan: field) else { return }
      set(field.path, text)
    case .property(let name):
      guard let index = own.firstIndex(where: { $0.name == name }) else { return }
      object.set(field.path.names, own.remove(at: index).value)
    }
  }

  /// Whether the record has another field from which the column's text was read.
  private func isRead(_ text: String, elsewhereThan field: VendorEventTable.Field) -> Bool {
    field.sources.contains { path in
      path != field.path
        && keptText(at: path).flatMap(field.read).map { $0.hasSameBytes(as: text) } ?? false
    }
  }

  private func keptText(at path: VendorEventTable.Path) -> String? {
    let value =
      kept.first { $0.path == path.names }?.value
      ?? own.first { table.properties.names + [$0.name] == path.names }?.value
    return value.flatMap(VendorText.of)
  }

  private mutating func writeSurface() {
    guard let surfaces = table.surfaces, keptText(at: surfaces.path) == nil,
      let surface = text(.surface),
      let name = surfaces.names.first(where: { $0.surface.rawValue == surface })?.text
    else { return }
    set(surfaces.path, name)
  }

  /// The text of a column as the vendor has it.
  private func vendorText(_ column: EventColumn) -> String? {
    guard let text = text(column) else { return nil }
    if column == .id, text.utf8.starts(with: table.madeIDPrefix.utf8) { return nil }
    switch column {
    case .source: return text == table.source ? nil : InstallationID.written(text)
    case .subject: return text.split(separator: "/", maxSplits: 1).last.map { String($0) }
    case _: return text
    }
  }

  private func text(_ column: EventColumn) -> String? {
    guard case .text(let bytes) = record[column] else { return nil }
    return String(decoding: bytes, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
  }

  private mutating func set(_ path: VendorEventTable.Path, _ text: String) {
    object.set(path.names, JSON.string(text).encoded()[...])
  }
}

/// A JSON object that is put together by the places of its values.
private struct VendorObject {
  private enum Value {
    case value(ArraySlice<UInt8>)
    case object(VendorObject)
  }

  private var members: [(name: String, value: Value)] = []

  mutating func set(_ path: [String], _ value: ArraySlice<UInt8>) {
    guard let name = path.first else { return }
    let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    var new = Value.value(value)
    if path.count > 1 {
      var object = VendorObject()
      if let index, case .object(let found) = members[index].value { object = found }
      object.set(Array(path.dropFirst()), value)
      new = .object(object)
    }
    if let index { members[index].value = new } else { members.append((name, new)) }
  }

  func hasValue(at path: [String]) -> Bool {
    guard let name = path.first, let member = members.first(where: { $0.name == name }) else {
      return false
    }
    switch member.value {
    case .value: return path.count == 1
    case .object(let object): return object.hasValue(at: Array(path.dropFirst()))
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for (name, value) in members {
      writer.key(name)
      switch value {
      case .value(let value): writer.raw(value)
      case .object(let object): object.write(to: &writer)
      }
    }
    writer.endObject()
  }
}

import EngagementFormats
import EngagementModel

/// Reads what `CSVEncoder` has written: RFC 4180 with a line of names. Columns may be in another order,
/// columns of other names are passed over and noted, and lines may end without a carriage return.
public struct CSVDecoder: EventDecoder {
  private enum State {
    /// Before the first byte of a field.
    case start
    case plain
    case quoted
    /// After a quote in a quoted field: its end, or the first of two.
    case quote
  }

  private var state = State.start
  private var field: [UInt8] = []
  private var fields: [[UInt8]] = []
  /// How many fields the record has; those after `mostNames` are not kept.
  private var count = 0
  private var size = 0
  private var fault: String?
  /// Whether the byte before was a carriage return, outside of quotes.
  private var hasReturn = false
  /// The line that is being read, and that of the record's beginning.
  private var line = 1
  private var firstLine = 1
  /// Where each column is; nil before the line of names was read.
  private var places: [EventColumn: Int]?
  private var width = 0
  /// Whether the line of names has one that is no column, and may be meant for one.
  private var isRefused = false
  private var foreign = ForeignNames()

  /// More columns are none of an export, and would take time and memory.
  private static let mostNames = 1_000

  public init() {}

  public var notes: [String] {
    guard let places, !isRefused else { return [] }
    let lacking = EventColumn.allCases.filter { places[$0] == nil }
    return [foreign.note("columns"), EventColumn.note(ofFileWithout: lacking)].compactMap(\.self)
  }

  public mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    for byte in bytes { try take(byte, body) }
  }

  public mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows {
    if state == .quoted { fault = fault ?? "A quote is not closed." }
    if state != .start || !fields.isEmpty { try endRecord(body) }
    if places == nil, !isRefused { try body(1, .fault("The file has no line of names.")) }
  }

  private mutating func take(
    _ byte: UInt8, _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    if byte == UInt8(ascii: "\n") {
      line += 1
      if state == .start, count == 0 {
        firstLine = line
        return
      }
    }
    if hasReturn, byte != UInt8(ascii: "\r") {
      hasReturn = false
      if byte != UInt8(ascii: "\n") {
        fault = fault ?? "A carriage return ends no line; save the file with LF line ends."
      }
    }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quote
    case (.quoted, _): append(byte)
    case (.quote, UInt8(ascii: "\"")):
      append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")): endField()
    case (_, UInt8(ascii: "\n")): try endRecord(body)
    case (_, UInt8(ascii: "\r")):
      hasReturn = true
      if state == .start { state = .plain }
    case (.start, UInt8(ascii: "\"")): state = .quoted
    case (.start, _), (.plain, _):
      if byte == UInt8(ascii: "\"") { fault = fault ?? "A quote is within a field." }
      append(byte)
      state = .plain
    case (.quote, _): fault = fault ?? "Something follows a closing quote."
    }
  }

  private mutating func append(_ byte: UInt8) {
    size += 1
    guard size <= longestEvent else {
      fault = fault ?? "The record is longer than 16 MB."
      return
    }
    field.append(byte)
  }

  private mutating func endField() {
    count += 1
    if count <= Self.mostNames { fields.append(field) }
    field.removeAll(keepingCapacity: true)
    state = .start
  }

  private mutating func endRecord(_ body: (Int, DecodedEvent) throws -> Void) rethrows {
    endField()
    let (number, record, count, fault) = (firstLine, fields, self.count, self.fault)
    (fields, self.count, size, self.fault, firstLine) = ([], 0, 0, nil, line)
    if count == 1, record[0].isEmpty { return }
    guard !isRefused else { return }
    guard let places else {
      if let refusal = fault ?? Self.refusal(of: record, count: count) {
        isRefused = true
        return try body(number, .fault("\(refusal) No line is read."))
      }
      return try begin(record, number, body)
    }
    if let fault { return try body(number, .fault(fault)) }
    guard count == width else {
      return try body(
        number, .fault("It has \(count) fields, and the line of names has \(width)."))
    }
    try body(number, Self.event(record, places))
  }

  /// Why a line of names cannot be one.
  private static func refusal(of names: [[UInt8]], count: Int) -> String? {
    guard count <= mostNames else {
      return "The line of names has \(count) names, and at most \(mostNames) are read; "
        + "leave out columns that are no fields of events."
    }
    guard !names.contains(where: { $0.contains(UInt8(ascii: "\r")) }) else {
      return "The name of a column has a carriage return; save the file with LF line ends."
    }
    guard !names.contains(where: { $0.contains(0) }) else {
      return "The name of a column has a zero byte; leave that out."
    }
    var known: Set<[UInt8]> = []
    // Spreadsheets leave columns without names.
    let double = names.first { !$0.isEmpty && !known.insert($0).inserted }
    return double.map { name in
      let text = String(decoding: name.prefix(mostTold), as: UTF8.self)
      return "The column \"\(text)\" is there twice; leave out one of the two."
    }
  }

  /// More bytes of a name are not told.
  private static let mostTold = 100

  private mutating func begin(
    _ names: [[UInt8]], _ number: Int, _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows {
    var found: [EventColumn: Int] = [:]
    let texts = names.map { String(decoding: $0, as: UTF8.self) }
    for column in EventColumn.allCases { found[column] = texts.firstIndex(of: column.name) }
    let lost = EventColumn.allCases.filter { found[$0] == nil }.map(\.name)
    let unknown = texts.filter { text in !EventColumn.allCases.contains { $0.name == text } }
    for text in unknown {
      guard let meant = NearestName.of(text.lowercased(), among: lost) else {
        foreign.add(text)
        continue
      }
      isRefused = true
      return try body(
        number, .fault("\"\(text)\" is no column; did you mean \"\(meant)\"? No line is read."))
    }
    (places, width) = (found, names.count)
    let lacking = EventColumn.allCases.filter { $0.isRequired && found[$0] == nil }
    guard let column = lacking.first else { return }
    try body(number, .fault("The line of names has no \(column.name)."))
  }

  private static func event(_ record: [[UInt8]], _ places: [EventColumn: Int]) -> DecodedEvent {
    var event = EventRecord()
    for column in EventColumn.allCases {
      guard let place = places[column], !record[place].isEmpty else {
        if column.isRequired { return .fault("It has no \(column.name).") }
        event.missing()
        continue
      }
      if let fault = append(record[place], column, to: &event) { return .fault(fault) }
    }
    return .event(event)
  }

  /// Returns what is wrong with the field.
  private static func append(
    _ field: [UInt8], _ column: EventColumn, to event: inout EventRecord
  ) -> String? {
    switch column.content {
    case .text:
      // The encoder guards each text that begins with an apostrophe, too.
      let isGuarded = field.first == UInt8(ascii: "'")
      return event.append(
        isGuarded ? field.span.bytes.extracting(1...) : field.span.bytes, as: column)
    case .integer:
      guard let value = Int64(String(decoding: field, as: UTF8.self)) else {
        return "Its \(column.name) is no whole number."
      }
      event.integer(value)
    case .time:
      guard let milliseconds = ISO8601.milliseconds(from: field.span.bytes) else {
        return "Its \(column.name) is no time of ISO 8601."
      }
      event.time(milliseconds)
    case .json:
      return event.append(json: field, as: column)
    }
    return nil
  }
}

import EngagementModel
import EngagementPlatform
import EngagementStore

/// A user of an export. Most are never asked for their name.
enum ExportedUser {
  case unnamed(User)
  /// By the UTF-8 of the name; nil for the anonymous user.
  case named([UInt8]?)
}

/// Writes rows of the ledger as exported events.
struct EventRows {
  /// The installation that recorded the events.
  private let source: [UInt8]
  private let name: (User) -> String?
  private let times: Range<Int64>
  private let kinds: [[UInt8]]
  private let providers: [[UInt8]]
  private var scratch: [UInt8] = []

  init(_ selection: EventSelection, source: [UInt8], name: @escaping (User) -> String?) {
    (self.source, self.name) = (source, name)
    let since = selection.since.map(Milliseconds.up) ?? .min
    times = since..<max(selection.until.map(Milliseconds.up) ?? .max, since)
    kinds = selection.kinds.map { Array($0.rawValue.utf8) }
    providers = selection.providers.map { Array($0.rawValue.utf8) }
  }

  /// Writes the row if it is selected; else returns why it is not.
  ///
  /// - Parameter users: Those of the environment, by partition.
  mutating func write(
    _ row: borrowing LedgerRow, of users: inout [Int64: ExportedUser], to sink: inout some EventSink
  ) -> EventSelection.Exclusion? {
    let partition = row.integer(.partition)
    guard let known = users[partition] else { return .environment }
    guard times.contains(row.integer(.time)) else { return .time }
    guard Self.has(row, .kind, among: kinds) else { return .kind }
    guard Self.has(row, .provider, among: providers) else { return .provider }
    let user: [UInt8]?
    switch known {
    case .named(let bytes): user = bytes
    case .unnamed(let unnamed):
      user = name(unnamed).map { Array($0.utf8) }
      users[partition] = .named(user)
    }
    write(row, of: user, to: &sink)
    return nil
  }

  /// Whether the column has one of the texts, or any of them will do.
  private static func has(
    _ row: borrowing LedgerRow, _ column: LedgerRow.Column, among texts: [[UInt8]]
  ) -> Bool {
    guard !texts.isEmpty else { return true }
    return row.withBytes(column) { text in
      guard let text else { return false }
      return texts.contains { text.isEqual(to: $0) }
    }
  }

  private mutating func write(
    _ row: borrowing LedgerRow, of user: [UInt8]?, to sink: inout some EventSink
  ) {
    for column in EventColumn.allCases {
      switch column {
      case .id: assembled(to: &sink) { row.appendID(to: &$0) }
      case .source: sink.text(source.span.bytes)
      case .type: assembled(to: &sink) { Self.appendType(of: row, to: &$0) }
      case .subject:
        guard !row.isMissing(.item) else {
          sink.missing()
          continue
        }
        assembled(to: &sink) { Self.appendSubject(of: row, to: &$0) }
      case .time: sink.time(row.integer(.time))
      case .sequence: sink.integer(row.integer(.sequence))
      case .recordedTime:
        if let time = row.integerIfAny(.recorded) { sink.time(time) } else { sink.missing() }
      case .uptime: integer(.uptime, of: row, to: &sink)
      case .zoneOffset: integer(.zone, of: row, to: &sink)
      case .user: if let user { sink.text(user.span.bytes) } else { sink.missing() }
      case .session: text(.session, of: row, to: &sink)
      case .provider: text(.provider, of: row, to: &sink)
      case .surface: text(.surface, of: row, to: &sink)
      case .container: text(.container, of: row, to: &sink)
      case .name: text(.name, of: row, to: &sink)
      case .data:
        row.withBytes(.properties) { json in
          if let json { sink.json(json) } else { sink.missing() }
        }
      }
    }
    sink.endEvent()
  }

  private mutating func assembled(
    to sink: inout some EventSink, _ append: (inout [UInt8]) -> Void
  ) {
    scratch.removeAll(keepingCapacity: true)
    append(&scratch)
    sink.text(scratch.span.bytes)
  }

  private func text(
    _ column: LedgerRow.Column, of row: borrowing LedgerRow, to sink: inout some EventSink
  ) {
    row.withBytes(column) { text in
      if let text { sink.text(text) } else { sink.missing() }
    }
  }

  private func integer(
    _ column: LedgerRow.Column, of row: borrowing LedgerRow, to sink: inout some EventSink
  ) {
    if let value = row.integerIfAny(column) { sink.integer(value) } else { sink.missing() }
  }

  /// Appends the type, such as `engage.card.impression`.
  private static func appendType(of row: borrowing LedgerRow, to bytes: inout [UInt8]) {
    bytes += EventType.prefix.utf8
    row.withBytes(.surface) { surface in
      guard let surface else { return }
      let noun = nouns.first { surface.isEqual(to: $0.surface) }?.noun
      if let noun { bytes += noun } else { bytes.append(surface) }
      bytes.append(UInt8(ascii: "."))
    }
    row.append(.kind, to: &bytes)
  }

  /// What one item of each surface is called.
  private static let nouns: [(surface: [UInt8], noun: [UInt8])] = EventType.nouns.map {
    (Array($0.surface.rawValue.utf8), Array($0.noun.utf8))
  }

  private static func appendSubject(of row: borrowing LedgerRow, to bytes: inout [UInt8]) {
    row.append(row.isMissing(.owner) ? .provider : .owner, to: &bytes)
    bytes.append(UInt8(ascii: "/"))
    row.append(.item, to: &bytes)
  }
}

extension LedgerRow {
  /// Appends the column's bytes; nothing if it is missing.
  fileprivate func append(_ column: Column, to bytes: inout [UInt8]) {
    withBytes(column) { if let found = $0 { bytes.append(found) } }
  }
}

extension RawSpan {
  fileprivate func isEqual(to bytes: [UInt8]) -> Bool {
    unsafe withUnsafeBytes { unsafe $0.elementsEqual(bytes) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}

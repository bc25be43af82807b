import EngagementModel
import EngagementPlatform
import EngagementStore

/// Writes rows of the ledger as exported events.
struct EventRows {
  /// The installation that recorded the events.
  private let source: [UInt8]
  /// The name of each user in the export, by partition; nil for the anonymous user. Rows of other
  /// partitions belong to another environment and are skipped.
  private let users: [Int64: String?]
  private var scratch: [UInt8] = []

  init(source: String, users: [Int64: String?]) {
    self.source = Array(source.utf8)
    self.users = users
  }

  /// Whether the row was written.
  mutating func write(
    _ row: borrowing LedgerRow, by encoder: inout some EventEncoder
  ) -> Bool {
    guard let user = users[row.integer(.partition)] else { return false }
    for column in EventColumn.allCases {
      switch column {
      case .id: assembled(by: &encoder) { row.appendID(to: &$0) }
      case .source: encoder.text(source.span.bytes)
      case .type: assembled(by: &encoder) { Self.appendType(of: row, to: &$0) }
      case .subject:
        guard !row.isMissing(.item) else {
          encoder.missing()
          continue
        }
        assembled(by: &encoder) { Self.appendSubject(of: row, to: &$0) }
      case .time: encoder.time(row.integer(.time))
      case .sequence: encoder.integer(row.integer(.sequence))
      case .recordedTime:
        if row.isMissing(.recorded) {
          encoder.missing()
        } else {
          encoder.time(row.integer(.recorded))
        }
      case .uptime: integer(.uptime, of: row, by: &encoder)
      case .zoneOffset: integer(.zone, of: row, by: &encoder)
      case .user: if let user { encoder.text(user) } else { encoder.missing() }
      case .session: text(.session, of: row, by: &encoder)
      case .provider: text(.provider, of: row, by: &encoder)
      case .surface: text(.surface, of: row, by: &encoder)
      case .container: text(.container, of: row, by: &encoder)
      case .name: text(.name, of: row, by: &encoder)
      case .data:
        if row.isMissing(.properties) {
          encoder.missing()
        } else {
          row.withBytes(.properties) { encoder.json($0) }
        }
      }
    }
    encoder.endEvent()
    return true
  }

  private mutating func assembled(
    by encoder: inout some EventEncoder, _ append: (inout [UInt8]) -> Void
  ) {
    scratch.removeAll(keepingCapacity: true)
    append(&scratch)
    encoder.text(scratch.span.bytes)
  }

  private func text(
    _ column: LedgerRow.Column, of row: borrowing LedgerRow, by encoder: inout some EventEncoder
  ) {
    guard !row.isMissing(column) else { return encoder.missing() }
    row.withBytes(column) { encoder.text($0) }
  }

  private func integer(
    _ column: LedgerRow.Column, of row: borrowing LedgerRow, by encoder: inout some EventEncoder
  ) {
    if row.isMissing(column) { encoder.missing() } else { encoder.integer(row.integer(column)) }
  }

  /// Appends the type, such as `engage.card.impression`.
  private static func appendType(of row: borrowing LedgerRow, to bytes: inout [UInt8]) {
    bytes += "engage.".utf8
    if !row.isMissing(.surface) {
      row.withBytes(.surface) { surface in
        let noun = nouns.first { surface.isEqual(to: $0.surface) }?.noun
        if let noun { bytes += noun } else { bytes.append(surface) }
      }
      bytes.append(UInt8(ascii: "."))
    }
    row.withBytes(.kind) { bytes.append($0) }
  }

  /// What one item of each surface is called.
  private static let nouns: [(surface: [UInt8], noun: [UInt8])] = [
    (.cards, "card"), (.inbox, "message"), (.campaigns, "campaign"), (.push, "push"),
  ].map { (surface: Surface, noun: String) in (Array(surface.rawValue.utf8), Array(noun.utf8)) }

  private static func appendSubject(of row: borrowing LedgerRow, to bytes: inout [UInt8]) {
    row.withBytes(row.isMissing(.owner) ? .provider : .owner) { bytes.append($0) }
    bytes.append(UInt8(ascii: "/"))
    row.withBytes(.item) { bytes.append($0) }
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

import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A row of the ledger where it lies, valid while it is read. An export makes no value of it.
package struct LedgerRow: ~Copyable {
  package enum Column: Int {
    case sequence, id, partition, kind, time, zone, session, provider, surface, owner, item,
      container, name, properties, recorded, uptime
  }

  private let row: Row

  init(_ row: consuming Row) { self.row = row }

  package func isMissing(_ column: Column) -> Bool { row.isNull(column.rawValue) }

  package func integer(_ column: Column) -> Int64 { row.integer(column.rawValue) }

  package func withBytes(_ column: Column, _ body: (RawSpan) -> Void) {
    row.withBytes(column.rawValue, body)
  }

  /// Appends the text of the id.
  package func appendID(to bytes: inout [UInt8]) {
    let stored = row.bytes(Column.id.rawValue)
    if let bits = StoredBits.bits(stored) {
      bytes.append(addingCapacity: 36) { _ = UUID(bits: bits).write(to: &$0) }
    } else {
      bytes += EventID(stored: stored).rawValue.utf8
    }
  }
}

extension EventSelection {
  /// What stands behind WHERE, and its values.
  var condition: (sql: String, values: [SQLValue]) {
    var terms = ["sequence > ?", "sequence <= ?"]
    var values: [SQLValue] = [.integer(after), .integer(through)]
    if let since {
      terms.append("time >= ?")
      values.append(.integer(Milliseconds.up(since)))
    }
    if let until {
      terms.append("time < ?")
      values.append(.integer(Milliseconds.up(until)))
    }
    func add(_ column: String, _ names: [String]) {
      guard !names.isEmpty else { return }
      let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
      terms.append("\(column) IN (\(places))")
      values += names.map { .text($0) }
    }
    add("type", kinds.map(\.rawValue))
    add("provider", providers.map(\.rawValue))
    return (terms.joined(separator: " AND "), values)
  }
}

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

  /// Nil if the column is missing.
  package func integerIfAny(_ column: Column) -> Int64? { row.integerIfAny(column.rawValue) }

  /// With nil if the column is missing.
  package func withBytes<Value>(_ column: Column, _ body: (RawSpan?) -> Value) -> Value {
    row.withBytesIfAny(column.rawValue, body)
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

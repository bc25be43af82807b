import EngagementAdapterAPI
import EngagementModel

/// The files that wait to be uploaded, each with a row of the outbox. It goes when its row does.
struct UploadTable: ~Copyable {
  private var insertion = Statement(
    """
    INSERT INTO upload (row, bytes) SELECT id, ? FROM outbox WHERE key = ? AND provider = ?
    """)
  private var selection = Statement("SELECT bytes FROM upload WHERE row = ?")

  mutating func insert(
    _ file: [UInt8], for delivery: Intent.Delivery, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &insertion, .blob(file), .blob(delivery.key.stored), .text(delivery.provider.rawValue))
  }

  /// Nil if there is none.
  mutating func file(
    of row: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) -> [UInt8]? {
    try database.first(&selection, .integer(row)) { $0.bytes(0) }
  }
}

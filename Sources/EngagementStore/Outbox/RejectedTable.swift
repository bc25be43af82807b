import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// The rows that vendors have rejected, with the reasons: the newest thousand.
struct RejectedTable: ~Copyable {
  private var insertion = Statement(
    """
    INSERT INTO rejected (
      key, partition, provider, kind, body, accepted, attempts, code, reason, rejected)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  private var selection = Statement(
    """
    SELECT provider, kind, body, accepted, attempts, code, reason, rejected FROM rejected
    WHERE partition = ? ORDER BY id
    """)
  private var byKey = Statement(
    "SELECT provider, code, reason FROM rejected WHERE key = ? ORDER BY id DESC LIMIT 1")
  private var trimming = Statement(
    "DELETE FROM rejected WHERE id <= (SELECT max(id) FROM rejected) - \(limit)")
  private var erasing = Statement("DELETE FROM rejected WHERE partition = ?")

  static let limit = 1_000

  mutating func insert(
    _ row: StoredRow, _ error: EngagementError, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &insertion, .blob(row.key), .integer(row.partition), .text(row.provider.rawValue),
      .text(row.kind), .utf8(row.body[...]), .integer(row.accepted),
      .integer(row.progress.attempts), .text(error.code.rawValue), .text(error.message),
      .integer(now.storedMilliseconds))
    try database.run(&trimming)
  }

  /// A row as it stands in the file.
  struct Found {
    let provider: ProviderID
    let kind: String
    let body: [UInt8]
    let acceptedAt: Date
    let attempts: Int64
    let code: String
    let reason: String
    let rejectedAt: Date

    init(_ row: borrowing Row) {
      provider = ProviderID(row.text(0))
      kind = row.text(1)
      body = row.bytes(2)
      acceptedAt = Milliseconds.date(row.integer(3)).writable
      attempts = row.integer(4)
      code = row.text(5)
      reason = row.text(6)
      rejectedAt = Milliseconds.date(row.integer(7)).writable
    }
  }

  /// The body's results for all rows of a user, the oldest first.
  mutating func all<Value>(
    of partition: Partition.ID, on database: inout Database, read: (Found) -> Value
  ) throws(EngagementError) -> [Value] {
    try database.all(&selection, .integer(partition)) { read(Found($0)) }
  }

  /// Why a row was rejected; nil if it was not, or long ago.
  mutating func error(
    of key: OperationKey, on database: inout Database
  ) throws(EngagementError) -> EngagementError? {
    try database.first(&byKey, .blob(key.stored)) {
      EngagementError(
        .init(rawValue: $0.text(1)), $0.text(2), provider: ProviderID($0.text(0)))
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

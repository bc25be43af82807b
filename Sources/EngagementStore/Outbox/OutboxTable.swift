import EngagementAdapterAPI
import EngagementModel

/// The rows that wait to be sent.
struct OutboxTable: ~Copyable {
  private var insertion = Statement(
    """
    INSERT INTO outbox (
      key, partition, provider, kind, body, action, event, surface, analytics, size, accepted,
      attempts, waited, batch, batch_key, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key, provider) DO NOTHING
    """)
  private var deletion = Statement(
    """
    DELETE FROM outbox WHERE id = ?
    RETURNING id, key, provider, size, partition, analytics,
      CASE WHEN kind = '\(StoredRow.uploadKind)'
        OR kind = '\(StoredRow.operationKind)' AND instr(body, 'gisterPush') > 0 THEN body END
    """)
  private var named = Statement(
    "SELECT \(columns) FROM outbox WHERE key = ? AND provider = ?")
  private var single = Statement("SELECT \(columns) FROM outbox WHERE id = ?")
  private var queue = Statement(
    """
    SELECT \(columns) FROM outbox INDEXED BY outbox_lane
    WHERE partition = ? AND provider = ? AND id > ? ORDER BY id LIMIT ?
    """)
  private var owned = Statement(
    """
    SELECT \(columns) FROM outbox INDEXED BY outbox_lane
    WHERE partition = ? AND id > ? ORDER BY id LIMIT ?
    """)
  private var everything = Statement(
    "SELECT \(columns) FROM outbox WHERE id > ? ORDER BY id LIMIT ?")
  private var byEvent = Statement(
    """
    SELECT id FROM outbox INDEXED BY outbox_event
    WHERE event = ? AND partition = ? AND provider = ? ORDER BY id
    """)
  private var bySurface = Statement(
    """
    SELECT id FROM outbox INDEXED BY outbox_lane
    WHERE partition = ? AND provider = ? AND surface = ? ORDER BY id
    """)
  private var byBatch = Statement(
    "SELECT id FROM outbox INDEXED BY outbox_batch WHERE batch = ? ORDER BY id")
  private var oldestAnalytics = Statement(
    """
    SELECT id FROM outbox INDEXED BY outbox_analytics
    WHERE analytics = 1 ORDER BY id LIMIT ?
    """)
  private var progress = Statement(
    "SELECT attempts, waited, batch, batch_key, seal, key FROM outbox WHERE id = ?")
  private var progressUpdate = Statement(
    "UPDATE outbox SET attempts = ?, waited = ?, batch = ?, batch_key = ?, seal = ? WHERE id = ?")
  private var ownerUpdate = Statement("UPDATE outbox SET partition = ?, seal = ? WHERE id = ?")
  private var queueCounts = Statement(
    """
    SELECT provider, count(*) FROM outbox INDEXED BY outbox_lane
    WHERE partition = ? GROUP BY provider
    """)
  private var newest = Statement("SELECT max(id) FROM outbox WHERE partition = ?")
  private var byID = Statement("SELECT 1 FROM outbox WHERE id = ?")
  private var byKey = Statement("SELECT 1 FROM outbox WHERE key = ? LIMIT 1")
  private var sum = Statement(
    "SELECT count(*), total(size), count(*) FILTER (WHERE analytics = 1) FROM outbox")

  private var known: Load?

  /// How many rows and bytes are pending.
  struct Load {
    var rows: Int
    var bytes: Int
    var analyticsRows: Int
  }

  /// A row that was removed.
  struct Removed {
    let key: OperationKey?
    let provider: ProviderID
    let partition: Partition.ID
    /// An upload or an operation about a push token, of whose end more is noted.
    let operation: Operation?
  }

  static let columns = """
    id, key, partition, provider, kind, body, action, event, surface, analytics, accepted, \
    attempts, waited, batch, batch_key, seal
    """

  mutating func forgetMemory() { known = nil }

  // MARK: Limits

  mutating func load(on database: inout Database) throws(EngagementError) -> Load {
    if let known { return known }
    let load = try database.first(&sum) {
      Load(
        rows: Int($0.integer(0)), bytes: Int(clamping: Int64(exactly: $0.real(1)) ?? .max),
        analyticsRows: Int($0.integer(2)))
    }
    known = load
    return load ?? Load(rows: 0, bytes: 0, analyticsRows: 0)
  }

  mutating func oldestAnalytics(
    _ limit: Int, on database: inout Database
  ) throws(EngagementError) -> [OutboxRow.ID] {
    try database.all(&oldestAnalytics, .integer(limit)) { $0.integer(0) }
  }

  // MARK: Rows

  /// Appends a row; returns whether it was new.
  mutating func insert(
    _ row: StoredRow, on database: inout Database
  ) throws(EngagementError) -> Bool {
    _ = try load(on: &database)
    try database.run(
      &insertion, .blob(row.key), .integer(row.partition), .text(row.provider.rawValue),
      .text(row.kind), .utf8(row.body[...]), SQLValue(utf8: row.action), SQLValue(row.event),
      SQLValue(row.surface), .integer(row.analytics), .integer(row.size),
      .integer(row.accepted), .integer(row.progress.attempts), .integer(row.progress.waited),
      SQLValue(row.progress.batch), SQLValue(row.progress.batchKey),
      .integer(Int64(bitPattern: row.seal)))
    guard database.changes > 0 else { return false }
    known?.rows += 1
    known?.bytes &+= row.size
    if row.isAnalytics { known?.analyticsRows += 1 }
    return true
  }

  /// Removes a row; nil if it has ended already.
  mutating func remove(
    _ id: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) -> Removed? {
    let removed = try database.all(&deletion, .integer(id)) { row in
      (
        Removed(
          key: OperationKey(stored: row.bytes(1)), provider: ProviderID(row.text(2)),
          partition: row.integer(4),
          operation: row.isNull(6) ? nil : Operation(storedBody: row.bytes(6))),
        Int(clamping: row.integer(3)), row.integer(5) == 1
      )
    }
    guard let (row, size, isAnalytics) = removed.first else { return nil }
    known?.rows -= 1
    known?.bytes &-= size
    if isAnalytics { known?.analyticsRows -= 1 }
    return row
  }

  /// Counts another attempt, and sets the batch if there is none yet; false for a row that has
  /// ended.
  mutating func begin(
    _ id: OutboxRow.ID, as batch: OutboxRow.ID?, called key: OperationKey?, waited: Int64,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    try change(id, on: &database) { progress, _ in
      progress.attempts &+= 1
      progress.waited &+= waited
      guard progress.batch == nil else { return }
      progress.batch = batch
      progress.batchKey = key?.stored
    }
  }

  /// Takes back the last attempt, and with the only attempt the batch.
  mutating func takeBack(
    _ id: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) {
    _ = try change(id, on: &database) { progress, _ in
      progress.attempts = max(0, progress.attempts &- 1)
      if progress.attempts == 0 { (progress.batch, progress.batchKey) = (nil, nil) }
    }
  }

  /// Makes each row of a batch a batch of its own.
  mutating func split(
    _ batch: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) {
    for id in try database.all(&byBatch, .integer(batch), read: { $0.integer(0) }) {
      _ = try change(id, on: &database) { progress, key in
        (progress.batch, progress.batchKey) = (id, key)
      }
    }
  }

  private mutating func change(
    _ id: OutboxRow.ID, on database: inout Database,
    _ body: (inout StoredRow.Progress, _ key: [UInt8]) -> Void
  ) throws(EngagementError) -> Bool {
    let found = try database.first(&progress, .integer(id)) {
      (
        StoredRow.Progress(
          attempts: $0.integer(0), waited: $0.integer(1),
          batch: $0.isNull(2) ? nil : $0.integer(2), batchKey: $0.isNull(3) ? nil : $0.bytes(3)),
        UInt64(bitPattern: $0.integer(4)), $0.bytes(5)
      )
    }
    guard let (old, seal, key) = found else { return false }
    var new = old
    body(&new, key)
    try database.run(
      &progressUpdate, .integer(new.attempts), .integer(new.waited), SQLValue(new.batch),
      SQLValue(new.batchKey),
      .integer(Int64(bitPattern: StoredRow.checksum(seal, from: old, to: new))),
      .integer(id))
    return true
  }

  /// Gives a row to another user.
  mutating func move(
    _ row: StoredRow, to owner: Partition, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &ownerUpdate, .integer(owner.id), .integer(Int64(bitPattern: row.checksum(for: owner))),
      .integer(row.id))
  }

  // MARK: Reading

  mutating func row(
    _ id: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) -> StoredRow? {
    try database.first(&single, .integer(id)) { StoredRow($0) }
  }

  /// The row of a provider with that key.
  mutating func row(
    called key: OperationKey, for provider: ProviderID, on database: inout Database
  ) throws(EngagementError) -> StoredRow? {
    try database.first(&named, .blob(key.stored), .text(provider.rawValue)) { StoredRow($0) }
  }

  mutating func rows(
    for provider: ProviderID, in partition: Partition.ID, after id: OutboxRow.ID = 0, limit: Int,
    on database: inout Database
  ) throws(EngagementError) -> [StoredRow] {
    try database.all(
      &queue, .integer(partition), .text(provider.rawValue), .integer(id), .integer(limit)
    ) { StoredRow($0) }
  }

  /// Rows of a user, for all providers.
  mutating func rows(
    of partition: Partition.ID, after id: OutboxRow.ID = 0, limit: Int = 256,
    on database: inout Database
  ) throws(EngagementError) -> [StoredRow] {
    try database.all(&owned, .integer(partition), .integer(id), .integer(limit)) { StoredRow($0) }
  }

  /// Rows of all users.
  mutating func rows(
    after id: OutboxRow.ID, limit: Int = 256, on database: inout Database
  ) throws(EngagementError) -> [StoredRow] {
    try database.all(&everything, .integer(id), .integer(limit)) { StoredRow($0) }
  }

  mutating func rows(
    with event: EventID, for provider: ProviderID, in partition: Partition.ID,
    on database: inout Database
  ) throws(EngagementError) -> [OutboxRow.ID] {
    try database.all(
      &byEvent, .blob(event.stored), .integer(partition), .text(provider.rawValue)
    ) { $0.integer(0) }
  }

  mutating func rows(
    on surface: Surface, for provider: ProviderID, in partition: Partition.ID,
    on database: inout Database
  ) throws(EngagementError) -> [OutboxRow.ID] {
    try database.all(
      &bySurface, .integer(partition), .text(provider.rawValue), .text(surface.rawValue)
    ) { $0.integer(0) }
  }

  /// Whether none of the rows has ended.
  mutating func hasAll(
    _ rows: [OutboxRow.ID], on database: inout Database
  ) throws(EngagementError) -> Bool {
    for row in rows {
      guard try database.first(&byID, .integer(row), read: { _ in true }) == true else {
        return false
      }
    }
    return true
  }

  /// Whether a row with the key is pending, for any user.
  mutating func has(
    _ key: OperationKey, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(&byKey, .blob(key.stored)) { _ in true } ?? false
  }

  mutating func counts(
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ProviderID: Int] {
    let counts = try database.all(&queueCounts, .integer(partition)) {
      (ProviderID($0.text(0)), Int($0.integer(1)))
    }
    return Dictionary(counts) { first, _ in first }
  }

  /// The last row of the user; 0 if there is none.
  mutating func last(
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> OutboxRow.ID {
    // The column is NULL without a row, which reads as 0.
    try database.all(&newest, .integer(partition)) { $0.integer(0) }.first ?? 0
  }
}

extension StoredRow {
  /// Reads `OutboxTable.columns`.
  init(_ row: borrowing Row) {
    id = row.integer(0)
    key = row.bytes(1)
    partition = row.integer(2)
    provider = ProviderID(row.text(3))
    kind = row.text(4)
    body = row.bytes(5)
    action = row.isNull(6) ? nil : row.bytes(6)
    event = row.isNull(7) ? nil : row.bytes(7)
    surface = row.isNull(8) ? nil : row.text(8)
    analytics = row.integer(9)
    accepted = row.integer(10)
    progress = Progress(
      attempts: row.integer(11), waited: row.integer(12),
      batch: row.isNull(13) ? nil : row.integer(13),
      batchKey: row.isNull(14) ? nil : row.bytes(14))
    seal = UInt64(bitPattern: row.integer(15))
  }
}

extension SQLValue {
  init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
  init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
  init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
  init(utf8 bytes: [UInt8]?) { self = bytes.map { .utf8($0[...]) } ?? .null }
}

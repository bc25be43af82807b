import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// Saves from a damaged cache what no vendor can send again: pending rows, their users, consents
/// and the present user.
///
/// Rows keep their keys, times, attempts and batches. Damaged rows are left behind.
struct OutboxSalvage: ~Copyable {
  private var outbox = OutboxTable()
  private var deliveryCounts = DeliveryCountTable()
  private var partitions = PartitionTable()
  private var addition = Statement(
    """
    INSERT INTO partition (id, environment, user, consent, created) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)
  private var batching = Statement("UPDATE outbox SET batch = ?, seal = ? WHERE id = ?")
  private var newest = Statement("SELECT max(id) FROM outbox")

  /// The users of the damaged cache, by their old ids, with their new ones.
  private var owners: [Partition.ID: Partition] = [:]
  /// The new names of the batches, by the old ones. A batch is named for one of its rows.
  private var batches: [OutboxRow.ID: OutboxRow.ID] = [:]

  /// Reads the tables that matter most, so that damage in them is found at once.
  static func read(_ database: inout Database) throws(EngagementError) {
    for table in ["partition", "setting", "tally"] {
      var all = Statement("SELECT * FROM \(table)")
      _ = try database.all(&all) { _ in }
    }
    for (table, key) in [("outbox", "id"), ("ledger", "sequence")] {
      // The table itself: an index may be sound where its table is not.
      var ends = Statement("SELECT * FROM \(table) NOT INDEXED ORDER BY \(key) DESC LIMIT 1")
      _ = try database.all(&ends) { _ in }
    }
  }

  /// Copies the rows into a fresh cache, in its transaction. Rows that are there already stay.
  static func run(
    _ damaged: inout Database, into fresh: inout Database
  ) throws(EngagementError) -> StoreOpening.Salvage {
    var salvage = OutboxSalvage()
    let users = damaged.salvage("id, environment, user, consent, created", from: "partition") {
      User($0)
    }
    let former = users.values.mapValues(\.partition)
    let rows = damaged.salvage(OutboxTable.columns, from: "outbox") { row in
      let row = StoredRow(row)
      return former[row.partition].map(row.isSound(for:)) == true ? row : nil
    }
    for user in users.inOrder { try salvage.add(user, on: &fresh) }
    try salvage.addPresentUsers(of: &damaged, among: users.inOrder, on: &fresh)
    try salvage.continueCounting(from: &damaged, on: &fresh)
    let saved = try salvage.add(rows.inOrder, on: &fresh)
    return StoreOpening.Salvage(
      savedRows: saved, isComplete: users.isComplete && rows.isComplete)
  }

  /// A user as the damaged cache has them.
  private struct User {
    let partition: Partition
    let consent: Consent
    let created: Int64

    init(_ row: borrowing Row) {
      partition = Partition(
        id: row.integer(0), environment: row.text(1),
        user: EngagementModel.User(stored: row.bytes(2)))
      // What cannot be read allows nothing.
      consent = Consent(rawValue: row.text(3)) ?? .denied
      created = row.integer(4)
    }
  }
}

extension OutboxSalvage {
  /// Adds the user under the same id if that is free, so that partitions in use stay valid.
  private mutating func add(_ user: User, on fresh: inout Database) throws(EngagementError) {
    let old = user.partition
    try fresh.run(
      &addition, .integer(old.id), .text(old.environment), .blob(old.user.stored),
      .text(user.consent.rawValue), .integer(user.created))
    var found = try partitions.partition(of: old.user, in: old.environment, on: &fresh)
    if found == nil {
      try partitions.insert(old.user, in: old.environment, at: .distantPast, on: &fresh)
      found = try partitions.partition(of: old.user, in: old.environment, on: &fresh)
      if let found { try partitions.setConsent(user.consent, of: found, on: &fresh) }
    }
    owners[old.id] = found
  }

  private mutating func addPresentUsers(
    of damaged: inout Database, among users: [User], on fresh: inout Database
  ) throws(EngagementError) {
    for environment in Set(users.map(\.partition.environment)).sorted() {
      let user: EngagementModel.User
      do throws(EngagementError) {
        user = try partitions.presentUser(in: environment, on: &damaged)
      } catch {
        // The present user is then the anonymous one, as after a first start.
        continue
      }
      let isKnown = users.contains {
        $0.partition.user == user && $0.partition.environment.hasSameBytes(as: environment)
      }
      guard isKnown, try partitions.presentUser(in: environment, on: &fresh).isAnonymous else {
        continue
      }
      try partitions.setPresentUser(user, in: environment, on: &fresh)
    }
  }

  /// Continues sequences and ids, so that none is given twice.
  private func continueCounting(
    from damaged: inout Database, on fresh: inout Database
  ) throws(EngagementError) {
    for table in ["ledger", "outbox", "partition"] {
      var reading = Statement("SELECT seq FROM sqlite_sequence WHERE name = ?")
      let old: Int64?
      do throws(EngagementError) {
        old = try damaged.first(&reading, .text(table)) { $0.integer(0) }
      } catch {
        continue
      }
      // More than that, and there would soon be no number left.
      guard let old, 0...Int64(UInt32.max) ~= old else { continue }
      let new = try fresh.first(&reading, .text(table)) { $0.integer(0) }
      try fresh.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
      try fresh.run(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table),
        .integer(max(old, new ?? 0)))
    }
  }

  /// Adds the rows in the order in which they were accepted; returns how many were new.
  private mutating func add(
    _ rows: [StoredRow], on fresh: inout Database
  ) throws(EngagementError) -> Int {
    var saved: [TransactionSummary.Counter: Int64] = [:]
    for row in rows {
      guard let owner = owners[row.partition] else { continue }
      guard try add(row, to: owner, on: &fresh) else { continue }
      let counter = TransactionSummary.Counter(
        provider: row.provider, name: DeliveryCountTable.accepted)
      saved[counter, default: 0] += 1
    }
    try deliveryCounts.add(saved, on: &fresh)
    return Int(saved.values.reduce(0, +))
  }

  private mutating func add(
    _ old: StoredRow, to owner: Partition, on fresh: inout Database
  ) throws(EngagementError) -> Bool {
    var row = old
    row.partition = owner.id
    row.progress.batch = nil
    row.seal = row.checksum(for: owner)
    guard try outbox.insert(row, on: &fresh) else { return false }
    guard let batch = old.progress.batch,
      let id = try fresh.first(&newest, read: { $0.integer(0) })
    else { return true }
    // The row that gave the batch its name may be lost; then the first one left gives it.
    let name = batches[batch] ?? id
    batches[batch] = name
    row.progress.batch = name
    try fresh.run(
      &batching, .integer(name), .integer(Int64(bitPattern: row.checksum(for: owner))), .integer(id)
    )
    return true
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// Saves from a damaged cache what no vendor can send again: pending rows, their users, the present
/// user, the delivery counts, the salt of exports and values of the kit such as routes.
///
/// Rows are read off the pages, whatever SQLite makes of the file, and keep their keys, times, attempts
/// and batches. A damaged row is left behind. No consent is known afterwards, except a denial.
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
  ///
  /// - Parameter prefixes: The beginnings of the names of the kit's values that are saved.
  static func run(
    _ damaged: PageImages, values prefixes: [String] = [], into fresh: inout Database
  ) throws(EngagementError) -> StoreOpening.Salvage {
    let found = SalvagedRows(damaged, values: prefixes)
    var salvage = OutboxSalvage()
    let users = found.users.sorted { $0.key < $1.key }.map(\.value)
    for user in users { try salvage.add(user, on: &fresh) }
    try salvage.addPresentUsers(found.presentUsers, among: users, on: &fresh)
    try salvage.continueCounting(found.sequences, on: &fresh)
    if let salt = found.exportSalt { try ExportTable.keep(salt, on: &fresh) }
    try found.values.add(on: &fresh)
    let saved = try salvage.add(found.rows.sorted { $0.id < $1.id }, on: &fresh)
    let lost = try salvage.addCounts(found, on: &fresh)
    return StoreOpening.Salvage(
      savedRows: saved, lostRows: lost,
      isComplete: lost == 0 && (found.isWhole || !found.counts.isEmpty),
      hasAllValues: found.isWhole && !found.values.areDamaged)
  }
}

extension OutboxSalvage {
  /// Adds the user under the same id if that is free, so that partitions in use stay valid.
  private mutating func add(
    _ user: SalvagedRows.User, on fresh: inout Database
  ) throws(EngagementError) {
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
    _ present: [String: User], among users: [SalvagedRows.User], on fresh: inout Database
  ) throws(EngagementError) {
    for (environment, user) in present {
      let isKnown = users.contains {
        $0.partition.user == user && $0.partition.environment.hasSameBytes(as: environment)
      }
      guard isKnown, try partitions.presentUser(in: environment, on: &fresh).isAnonymous else {
        continue
      }
      try partitions.setPresentUser(user, in: environment, on: &fresh)
      try partitions.setIntroduction(isDue: true, in: environment, on: &fresh)
    }
  }

  /// Continues sequences and ids, so that none is given twice.
  private func continueCounting(
    _ sequences: [String: Int64], on fresh: inout Database
  ) throws(EngagementError) {
    for (table, old) in sequences {
      var reading = Statement("SELECT seq FROM sqlite_sequence WHERE name = ?")
      let new = try fresh.first(&reading, .text(table)) { $0.integer(0) }
      try fresh.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
      try fresh.run(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table),
        .integer(max(old, new ?? 0)))
    }
  }

  /// Continues the delivery counts, and counts as lost what was accepted and neither ended nor was
  /// saved. Returns how many rows these are, as far as the counts are known.
  private mutating func addCounts(
    _ found: SalvagedRows, on fresh: inout Database
  ) throws(EngagementError) -> Int {
    let old = found.counts
    let whole = found.rows.filter { owners[$0.partition] != nil }
    let saved = Dictionary(grouping: whole, by: \.provider).mapValues { Int64($0.count) }
    var counts = old
    var lost: Int64 = 0
    for provider in Set(old.keys.map(\.provider)).union(saved.keys) {
      let accepted = TransactionSummary.Counter(
        provider: provider, name: DeliveryCountTable.accepted)
      let ended = old.filter { $0.key.provider == provider && $0.key != accepted }.values
        .reduce(0, +)
      let rows = saved[provider] ?? 0
      // More rows than the books know of: the count itself was lost.
      counts[accepted] = max(old[accepted] ?? 0, ended + rows)
      let missing = (counts[accepted] ?? 0) - ended - rows
      guard missing > 0 else { continue }
      let counter = TransactionSummary.Counter(provider: provider, name: DeliveryCountTable.lost)
      counts[counter, default: 0] += missing
      lost += missing
    }
    // A recovery that was killed may have counted before.
    guard try deliveryCounts.all(on: &fresh).values.allSatisfy({ $0.accepted == 0 }) else {
      return Int(lost)
    }
    try deliveryCounts.add(counts, on: &fresh)
    return Int(lost)
  }

  /// Adds the rows in the order in which they were accepted; returns how many were new.
  private mutating func add(
    _ rows: [StoredRow], on fresh: inout Database
  ) throws(EngagementError) -> Int {
    var saved = 0
    for row in rows {
      guard let owner = owners[row.partition], try add(row, to: owner, on: &fresh) else { continue }
      saved += 1
    }
    return saved
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

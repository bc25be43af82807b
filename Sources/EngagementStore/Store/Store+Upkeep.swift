package import EngagementModel

extension Store {
  /// How many rows were accepted for each provider, and how they ended.
  package func deliveryCounts() throws(EngagementError) -> [ProviderID: DeliveryCounts] {
    try read { (tables, database) throws(EngagementError) in
      try tables.deliveryCounts.all(on: &database)
    }
  }

  /// How many events the ledger has evicted.
  package func evictedEvents() throws(EngagementError) -> EvictedEvents {
    try read { (tables, database) throws(EngagementError) in
      try tables.evictionCounts.all(on: &database)
    }
  }

  /// Reads every page and every row.
  package func check() throws(EngagementError) -> Health {
    try read { (tables, database) throws(EngagementError) in
      try tables.check(on: &database)
    }
  }

  /// Moves the log into the file and closes it, so that the process may be suspended. The next call
  /// opens it again.
  ///
  /// Throws `busy` if a reader blocks the log. The file is closed in that case too, and nothing is
  /// lost.
  package func suspend() throws(EngagementError) {
    defer { close() }
    try checkpoint()
  }

  /// Opens the file again.
  package func resume() throws(EngagementError) {
    try read { (_, _) throws(EngagementError) in }
  }
}

extension Tables {
  mutating func check(on database: inout Database) throws(EngagementError) -> Health {
    var integrity = Statement("PRAGMA integrity_check(100)")
    let found = try database.all(&integrity) { $0.text(0) }
    var health = Health(faults: found.filter { $0 != "ok" })
    health.damagedRows = try damagedRows(on: &database)
    for partition in try partitions.all(on: &database) {
      health.damagedRows += try itemCache.damagedItems(of: partition, on: &database)
      health.damagedRows += try campaigns.queue.rows(of: partition.id, on: &database)
        .count { !$0.isSound(for: partition) }
    }
    health.deliveryCounts = try deliveryCounts.all(on: &database)
    health.evictedEvents = try evictionCounts.all(on: &database)
    return health
  }

  private mutating func damagedRows(on database: inout Database) throws(EngagementError) -> Int {
    var count = 0
    var last: OutboxRow.ID = 0
    while true {
      let rows = try outbox.rows(after: last, on: &database)
      guard let newest = rows.last else { return count }
      last = newest.id
      for row in rows {
        let owner = try partitions.find(row.partition, on: &database)?.partition
        if owner.map({ row.isSound(for: $0) }) != true { count += 1 }
      }
    }
  }
}

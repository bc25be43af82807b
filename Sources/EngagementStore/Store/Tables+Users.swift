import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Gives rows to another user. Damaged rows are ended instead: a new checksum would make them
  /// look sound.
  mutating func adopt(
    _ former: Partition, into partition: Partition, for providers: Set<ProviderID>,
    after oldest: OutboxRow.ID, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    try partitions.require(former, on: &database)
    try partitions.require(partition, on: &database)
    var summary = TransactionSummary()
    guard former.id != partition.id else { return summary.report }
    var items: [ItemReference] = []
    for provider in providers.sorted() {
      try eachRow(of: former, for: provider, after: oldest, on: &database) {
        (tables, row, database) throws(EngagementError) in
        guard row.isSound(for: former) else {
          return try tables.endDamaged(row, at: now, &summary, on: &database)
        }
        let work = try? row.work()
        if let item = work?.item { items.append(item) }
        try tables.outbox.move(row, to: partition, on: &database)
        if case .operation(let operation)? = work {
          try tables.note(
            operation, .wiped, at: provider, of: former.id, at: now, on: &database)
          try tables.note(
            operation, nil, at: provider, of: partition.id, at: now, on: &database)
        }
        summary.report.hasNewRows = true
      }
      try pushStates.copy(
        at: provider, from: former.id, to: partition.id, at: now.writable, on: &database)
    }
    summary.report.feeds.formUnion(
      try itemCache.adoptOverlays(of: items, from: former, into: partition, on: &database))
    summary.report.hasNewCampaigns = try adoptCampaigns(
      former, into: partition, for: providers, at: now, on: &database)
    try showings.move(from: former.id, to: partition.id, on: &database)
    try close(&summary, at: now, on: &database)
    return summary.report
  }

  /// Ends every row of the user as wiped, and the campaigns that wait to be presented.
  mutating func wipe(
    _ partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    var summary = TransactionSummary()
    try eachRow(of: partition, on: &database) { (tables, row, database) throws(EngagementError) in
      try tables.end(row, .wiped, at: now, &summary, on: &database)
    }
    try wipeCampaigns(of: partition, at: now, on: &database)
    try close(&summary, at: now, on: &database)
    return summary.report
  }

  /// Deletes the user from every table. Does nothing if the user was erased already.
  mutating func erase(
    _ partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    guard try partitions.find(partition.id, on: &database)?.partition == partition else {
      return CommitReport()
    }
    let report = try eraseContents(of: partition, at: now, on: &database)
    try ledger.erase(partition.id, on: &database)
    try delivered.erase(partition.id, on: &database)
    try assignments.erase(partition.id, on: &database)
    try partitions.setPurgeRest(nil, of: partition.id, on: &database)
    try endPresence(of: partition, at: now, on: &database)
    try partitions.delete(partition.id, on: &database)
    return report
  }

  /// Deletes the user from every table but the ledger and the tables that say what it has, and the user's
  /// rows as wiped.
  private mutating func eraseContents(
    of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    var report = try wipe(partition, at: now, on: &database)
    report.feeds.formUnion(try itemCache.feeds(of: partition, on: &database))
    try itemCache.erase(partition.id, on: &database)
    try rejected.erase(partition.id, on: &database)
    try values.erase(partition.id, on: &database)
    try partitions.setContentKeys(nil, of: partition.id, on: &database)
    try campaigns.erase(partition.id, on: &database)
    try showings.erase(partition.id, on: &database)
    try pushStates.erase(partition.id, on: &database)
    report.hasNewPerson = true
    report.hasNewMetrics = true
    return report
  }

  private mutating func endPresence(
    of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    let environment = partition.environment
    if try partitions.presentUser(in: environment, on: &database) == partition.user {
      try setPresentUser(.anonymous, in: environment, at: now, on: &database)
    }
  }

  /// Makes another user present. An anonymous stay begins without what was counted in an earlier one, so
  /// that no user adopts it: other people have used the application in between.
  mutating func setPresentUser(
    _ user: User, in environment: String, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try partitions.setPresentUser(user, in: environment, on: &database)
    guard user.isAnonymous,
      let anonymous = try partitions.partition(of: user, in: environment, on: &database)
    else { return }
    try wipeCampaigns(of: anonymous, at: now, on: &database)
    try campaigns.erase(anonymous.id, on: &database)
    try showings.erase(anonymous.id, on: &database)
  }

  /// Deletes everything of the user but the events, which move to a new partition.
  mutating func purge(
    _ partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    try partitions.require(partition, on: &database)
    let report = try eraseContents(of: partition, at: now, on: &database)
    try partitions.setPurgeRest(nil, of: partition.id, on: &database)
    try endPresence(of: partition, at: now, on: &database)
    let new = try partitions.renew(partition.id, on: &database)
    try ledger.move(from: partition.id, to: new, on: &database)
    try delivered.move(from: partition.id, to: new, on: &database)
    try assignments.move(from: partition.id, to: new, on: &database)
    try partitions.setPurgeRest(.besideCache, of: new, on: &database)
    return report
  }

  /// Calls the body with every row of the user, for one provider or for all, in order.
  mutating func eachRow(
    of partition: Partition, for provider: ProviderID? = nil, after oldest: OutboxRow.ID = 0,
    on database: inout Database,
    _ body: (inout Tables, StoredRow, inout Database) throws(EngagementError) -> Void
  ) throws(EngagementError) {
    var last = oldest
    while true {
      let rows: [StoredRow]
      if let provider {
        rows = try outbox.rows(
          for: provider, in: partition.id, after: last, limit: 256, on: &database)
      } else {
        rows = try outbox.rows(of: partition.id, after: last, on: &database)
      }
      guard let newest = rows.last else { return }
      last = newest.id
      for row in rows { try body(&self, row, &database) }
    }
  }
}

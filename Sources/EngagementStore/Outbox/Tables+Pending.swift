import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Tables {
  /// What waits, and whatever does not verify among it.
  mutating func pending(
    for provider: ProviderID, in partition: Partition, limit: Int, on database: inout Database
  ) throws(EngagementError) -> (sound: [OutboxRow], damaged: [StoredRow]) {
    var sound: [OutboxRow] = []
    var damaged: [StoredRow] = []
    var last: OutboxRow.ID = 0
    while sound.count < limit {
      let rows = try outbox.rows(
        for: provider, in: partition.id, after: last, limit: limit - sound.count, on: &database)
      guard let newest = rows.last else { break }
      last = newest.id
      for row in rows { sort(row, of: partition, &sound, &damaged) }
    }
    return (sound, damaged)
  }

  private func sort(
    _ row: StoredRow, of partition: Partition, _ sound: inout [OutboxRow],
    _ damaged: inout [StoredRow]
  ) {
    guard row.isSound(for: partition) else { return damaged.append(row) }
    do throws(EngagementError) {
      sound.append(try row.read())
    } catch {
      // What a newer release stored waits for that release.
      if error.code != .newerSchema { damaged.append(row) }
    }
  }

  /// Ends rows that do not verify.
  mutating func endDamaged(
    _ rows: [StoredRow], at now: Date, on database: inout Database
  ) throws(EngagementError) {
    var account = Account()
    for row in rows { try endDamaged(row, at: now, &account, on: &database) }
    try close(&account, at: now, on: &database)
  }

  /// Notes a try at the rows; throws `conflict` where one is gone, since what would be sent then is
  /// not what waits.
  mutating func begin(
    _ rows: [OutboxRow.ID], as batch: OutboxRow.ID?, called key: OperationKey?, waited: Duration,
    on database: inout Database
  ) throws(EngagementError) {
    let waited = max(0, waited.milliseconds)
    for id in rows {
      guard
        try outbox.begin(id, as: batch, called: key, waited: waited, on: &database)
      else {
        throw EngagementError(.conflict, "A row came to its end before it was tried.")
      }
    }
  }
}

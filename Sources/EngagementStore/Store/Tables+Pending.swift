import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension Tables {
  /// The pending rows, and the damaged ones among them.
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
      // A row that a newer release wrote waits for that release.
      if error.code != .newerSchema { damaged.append(row) }
    }
  }

  /// Ends damaged rows.
  mutating func endDamaged(
    _ rows: [StoredRow], at now: Date, on database: inout Database
  ) throws(EngagementError) {
    var summary = TransactionSummary()
    for row in rows { try endDamaged(row, at: now, &summary, on: &database) }
    try close(&summary, at: now, on: &database)
  }

  /// Counts an attempt for each row; throws `conflict` if one has ended, since the batch would then
  /// be another than the one about to be sent.
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

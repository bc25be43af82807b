import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Tables {
  /// Ends a row, unless it is gone: counts it, keeps what was refused, takes back what it had made
  /// visible.
  mutating func end(
    _ id: OutboxRow.ID, _ ending: Ending, at now: Date, _ account: inout Account,
    on database: inout Database
  ) throws(EngagementError) {
    if ending == .delivered {
      guard let removed = try outbox.remove(id, on: &database) else { return }
      account.ended(removed.key, of: removed.provider, ending)
    } else if let row = try outbox.row(id, on: &database) {
      try end(row, ending, at: now, &account, on: &database)
    }
  }

  mutating func end(
    _ row: StoredRow, _ ending: Ending, at now: Date, _ account: inout Account,
    on database: inout Database
  ) throws(EngagementError) {
    guard let removed = try outbox.remove(row.id, on: &database) else { return }
    account.ended(removed.key, of: removed.provider, ending)
    let owner = try partitions.find(row.partition, on: &database)?.partition
    let known = owner.flatMap { row.isSound(for: $0) ? try? row.read() : nil }
    var drop = Account.Drop(
      partition: row.partition, provider: row.provider, ending: ending.name,
      operation: known?.work.verb)
    if case .rejected(let error) = ending {
      drop.code = error.code
      if owner != nil { try rejected.insert(row, error, at: now, on: &database) }
      if let owner, let action = known?.action, let item = known?.item {
        account.report.feeds.formUnion(
          try shelf.undo(action, on: item, in: owner, on: &database))
      }
    }
    account.dropped(drop)
  }

  /// Ends a row that does not verify. Nothing that stands in it is believed.
  mutating func endDamaged(
    _ row: StoredRow, at now: Date, _ account: inout Account, on database: inout Database
  ) throws(EngagementError) {
    try end(row, .rejected(.damagedRow), at: now, &account, on: &database)
  }

  /// Writes down what was counted, and tells the ledger what did not arrive.
  mutating func close(
    _ account: inout Account, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try tally.add(account.counts, on: &database)
    for (drop, count) in account.drops {
      let event = EngagementEvent(
        id: eventID(at: now), kind: .outboxDropped, time: now.writable, provider: drop.provider,
        properties: drop.properties(count))
      try record(event, in: drop.partition, on: &database)
    }
  }

  /// Records an event of our own, where the user allows it.
  mutating func record(
    _ event: EngagementEvent, in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    guard let known = try partitions.find(partition, on: &database), known.consent != .denied
    else { return }
    _ = try ledger.append(event, of: partition, on: &database)
  }
}

extension Account.Drop {
  fileprivate func properties(_ count: Int) -> JSONObject {
    ObjectEncoder([
      "reason": ending, "code": code?.text, "operation": operation?.text, "count": count,
    ]).object
  }
}

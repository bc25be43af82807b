import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Ends a row, unless it has ended: counts it, and keeps a rejected one and undoes its overlay.
  mutating func end(
    _ id: OutboxRow.ID, _ ending: Ending, at now: Date, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    if ending == .delivered || ending == .kept {
      try noteAnswer(to: id, &summary, on: &database)
      guard let removed = try outbox.remove(id, on: &database) else { return }
      summary.ended(removed.key, of: removed.provider, ending)
      switch removed.operation {
      case .upload(let upload)?:
        try record(
          upload, .completed, of: removed.provider, in: removed.partition, at: now, &summary,
          on: &database)
      case let operation?:
        try note(
          operation, ending, at: removed.provider, of: removed.partition, at: now, on: &database)
      case nil: break
      }
    } else if let row = try outbox.row(id, on: &database) {
      try end(row, ending, at: now, &summary, on: &database)
    }
  }

  /// Ends a row that is not sent as kept. Its vendor has no more of it than earlier attempts brought.
  mutating func withhold(
    _ id: OutboxRow.ID, at now: Date, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    guard let row = try outbox.row(id, on: &database) else { return }
    try noteAnswer(to: id, &summary, on: &database)
    guard let removed = try outbox.remove(id, on: &database) else { return }
    summary.ended(removed.key, of: removed.provider, .kept)
    guard let operation = removed.operation else { return }
    try note(
      operation, .wiped, wasTried: row.progress.attempts > 0, at: removed.provider,
      of: removed.partition, at: now, on: &database)
  }

  mutating func end(
    _ row: StoredRow, _ ending: Ending, at now: Date, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    if ending == .wiped {
      _ = try campaigns.waits.remove(row.id, on: &database)
    } else {
      try noteAnswer(to: row.id, &summary, on: &database)
    }
    guard let removed = try outbox.remove(row.id, on: &database) else { return }
    summary.ended(removed.key, of: removed.provider, ending)
    let owner = try partitions.find(row.partition, on: &database)?.partition
    let known = owner.flatMap { row.isSound(for: $0) ? try? row.read() : nil }
    var drop = TransactionSummary.Drop(
      partition: row.partition, provider: row.provider, ending: ending.name,
      operation: known?.work.verb)
    if ending == .wiped, case .operation(.act(.submit, _))? = known?.work {
      try endFiles(of: removed.key, before: row.id, at: now, &summary, on: &database)
    }
    if case .operation(.upload(let upload))? = known?.work {
      try endSubmission(of: upload, in: row, ending, at: now, &summary, on: &database)
    }
    if case .operation(let operation)? = known?.work, owner != nil {
      try note(
        operation, ending, wasTried: row.progress.attempts > 0, at: row.provider,
        of: row.partition, at: now, on: &database)
    }
    switch ending {
    case .rejected(let error):
      drop.code = error.code
      drop.item = known?.item
      if owner != nil { try rejected.insert(row, error, at: now, on: &database) }
    case .wiped where known?.action?.hidesItem == true: break
    case .wiped, .delivered, .kept, .expired, .evicted: return summary.dropped(drop)
    }
    // The vendor never hears of it, so the item is again as the vendor has it.
    if let owner, let action = known?.action, let item = known?.item {
      summary.report.feeds.formUnion(
        try itemCache.undo(action, on: item, in: owner, on: &database))
    }
    summary.dropped(drop)
  }

  /// Ends a damaged row. Nothing in it is trusted.
  mutating func endDamaged(
    _ row: StoredRow, at now: Date, _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    try end(row, .rejected(.damagedRow), at: now, &summary, on: &database)
  }

  /// Evaluates rows that waited for an answer, writes the counts, and records in the ledger which
  /// rows did not arrive.
  mutating func close(
    _ summary: inout TransactionSummary, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try evaluateAnswered(at: now, &summary, on: &database)
    try deliveryCounts.add(summary.counts, on: &database)
    for (drop, count) in summary.drops {
      let event = EngagementEvent(
        id: eventID(at: now), kind: .outboxDropped, time: now.writable, provider: drop.provider,
        item: drop.item, properties: drop.properties(count))
      try record(event, in: drop.partition, on: &database)
    }
  }

  /// Records one of the store's own events, unless the user has denied consent.
  mutating func record(
    _ event: EngagementEvent, in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    guard let known = try partitions.find(partition, on: &database), known.consent != .denied
    else { return }
    _ = try ledger.append(event, of: partition, on: &database)
  }
}

extension ItemAction {
  /// Whether the user sees the item no more. If the vendor never hears of it, the user sees it again.
  fileprivate var hidesItem: Bool {
    switch self {
    case .dismiss, .delete, .expire, .snooze, .submit: true
    case .impression, .click, .open, .read, .vote: false
    }
  }
}

extension TransactionSummary.Drop {
  fileprivate func properties(_ count: Int) -> JSONObject {
    ObjectEncoder([
      "reason": ending, "code": code?.rawValue, "operation": operation?.rawValue, "count": count,
    ]).object
  }
}

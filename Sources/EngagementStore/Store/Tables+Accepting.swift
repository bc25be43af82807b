import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Throws `queueFull` if no eviction could make room for the actions among the deliveries. Called
  /// before anything is written, so that there is nothing to undo.
  mutating func refuseIfFull(
    _ intents: [Intent], on database: inout Database
  ) throws(EngagementError) {
    let load = try outbox.load(on: &database)
    let new = intents.reduce(0) { $0 + $1.deliveries.count { !$0.isAnalytics } }
    guard new == 0 || load.rows - load.analyticsRows + new <= options.limits.rows else {
      throw .fullOutbox
    }
  }

  /// Accepts all intents. If this throws, the caller rolls the transaction back. With `mayExceed`,
  /// the rows may exceed the limits: an extension has accepted them already.
  mutating func accept(
    _ intents: [Intent], in partition: Partition, at now: Date, mayExceed: Bool = false,
    on database: inout Database
  ) throws(EngagementError) -> Acceptance {
    let consent = try partitions.require(partition, on: &database).consent
    var summary = TransactionSummary()
    var acceptance = Acceptance()
    if intents.contains(where: { $0.mark != nil }) {
      acceptance.feeds = try updateContentKeys(of: partition, at: now, on: &database).feeds
    }
    acceptance.keys = intents.flatMap { $0.deliveries.map(\.key) }
    // Of copies as they were before: what is done to the shown one counts for them already.
    let seen = try intents.map { (intent) throws(EngagementError) in
      intent.isPropagated ? try isKnown(intent, in: partition, on: &database) : false
    }
    for (index, intent) in intents.enumerated() {
      var intent = intent
      let isKnown =
        intent.isPropagated ? seen[index] : try isKnown(intent, in: partition, on: &database)
      if isKnown {
        summary.report.ended += intent.deliveries.map { CommitReport.Ended($0.key, .kept) }
        intent.mark = nil
        intent.deliveries = []
      }
      if let event = intent.event, consent != .denied {
        let entry = try ledger.append(event, of: partition.id, on: &database)
        intent.event?.sequence = entry.sequence
        // The whole intent was accepted with its event, by an earlier call.
        guard entry.isNew else {
          acceptance.events.append(contentsOf: intent.event.map { [$0] } ?? [])
          continue
        }
      }
      if let event = intent.event { acceptance.events.append(event) }
      if let mark = intent.mark {
        acceptance.feeds.formUnion(
          try itemCache.record(mark, in: partition, at: now, on: &database))
      }
      for delivery in intent.deliveries {
        let isNew = try insert(
          delivery, of: intent, in: partition, at: now, &summary, on: &database)
        guard isNew, consent != .denied else { continue }
        try evaluate(delivery, of: intent, in: partition, at: now, &summary, on: &database)
      }
    }
    try makeRoom(in: partition, mayExceed: mayExceed, &summary, on: &database)
    try close(&summary, at: now, on: &database)
    acceptance.ended = summary.report.ended
    acceptance.hasNewCampaigns = summary.report.hasNewCampaigns
    return acceptance
  }

  /// Whether the intent says no more than that the user has seen an item, which the user had before.
  private mutating func isKnown(
    _ intent: Intent, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard intent.isForUnseen, let item = intent.mark?.item else { return false }
    return try itemCache.isSeen(item, in: partition, on: &database)
  }

  private mutating func insert(
    _ delivery: Intent.Delivery, of intent: Intent, in partition: Partition, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) -> Bool {
    var delivery = delivery
    if case .event(var event) = delivery.work, let sequence = intent.event?.sequence,
      event.id == intent.event?.id
    {
      event.sequence = sequence
      delivery.work = .event(event)
    }
    let mark = intent.mark.flatMap { $0.item.id.provider == delivery.provider ? $0 : nil }
    return try insert(
      delivery, undoing: mark?.action, in: partition, at: now, &summary, on: &database)
  }

  /// Appends one row to the outbox, unless it is there already. Returns whether it was new.
  @discardableResult
  mutating func insert(
    _ delivery: Intent.Delivery, undoing action: ItemAction? = nil, in partition: Partition,
    at now: Date, _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) -> Bool {
    var row = try StoredRow(delivery, undoing: action, in: partition.id, at: now)
    row.seal = row.checksum(for: partition)
    guard try outbox.insert(row, on: &database) else { return false }
    if case .operation(let operation) = delivery.work {
      try note(
        operation, nil, at: delivery.provider, of: partition.id, at: now, on: &database)
    }
    if let file = delivery.file { try uploads.insert(file, for: delivery, on: &database) }
    summary.accepted(by: delivery.provider)
    summary.report.hasNewRows = true
    return true
  }

  /// Evicts the oldest analytics until the limits hold; throws `queueFull` if that is not enough.
  mutating func makeRoom(
    in partition: Partition, mayExceed: Bool = false, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    let limits = options.limits
    while true {
      let load = try outbox.load(on: &database)
      let excess = load.rows - limits.rows
      guard excess > 0 || load.bytes > limits.bytes else { return }
      let oldest = try outbox.oldestAnalytics(max(excess, 1), on: &database)
      guard !oldest.isEmpty else {
        if mayExceed { return }
        throw .fullOutbox
      }
      for id in oldest { try evict(id, in: partition, &summary, on: &database) }
    }
  }

  private mutating func evict(
    _ id: OutboxRow.ID, in partition: Partition, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    try noteAnswer(to: id, &summary, on: &database)
    guard let removed = try outbox.remove(id, on: &database) else { return }
    summary.ended(removed.key, of: removed.provider, .evicted)
    // One event for all of them, in the ledger of the user who needed the room.
    summary.dropped(TransactionSummary.Drop(partition: partition.id, ending: Ending.evicted.name))
  }
}

extension EngagementError {
  static let fullOutbox = EngagementError(
    .queueFull, "Too much waits to be sent; try again when some of it has arrived.")
}

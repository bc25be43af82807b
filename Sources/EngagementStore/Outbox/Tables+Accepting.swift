import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Tables {
  /// Throws `queueFull` where no eviction could make room for the actions among the parcels: told
  /// before anything is written, since nothing has to be taken back then.
  mutating func refuseIfFull(
    _ intents: [Intent], on database: inout Database
  ) throws(EngagementError) {
    let load = try outbox.load(on: &database)
    let new = intents.reduce(0) { $0 + $1.parcels.count { !$0.isAnalytics } }
    guard new == 0 || load.rows - load.analyticsRows + new <= options.limits.rows else {
      throw .fullOutbox
    }
  }

  /// Accepts everything; whoever calls takes it back where this throws. What was accepted elsewhere
  /// before may exceed the limits.
  mutating func accept(
    _ intents: [Intent], in partition: Partition, at now: Date, mayExceed: Bool = false,
    on database: inout Database
  ) throws(EngagementError) -> Acceptance {
    let consent = try partitions.require(partition, on: &database).consent
    var account = Account()
    var acceptance = Acceptance()
    acceptance.keys = intents.flatMap { $0.parcels.map(\.key) }
    for intent in intents {
      var intent = intent
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
          try shelf.record(mark, in: partition, at: now, on: &database))
      }
      for parcel in intent.parcels {
        try insert(parcel, of: intent, in: partition, at: now, &account, on: &database)
      }
    }
    try makeRoom(in: partition, mayExceed: mayExceed, &account, on: &database)
    try close(&account, at: now, on: &database)
    acceptance.ended = account.report.ended
    return acceptance
  }

  private mutating func insert(
    _ parcel: Intent.Parcel, of intent: Intent, in partition: Partition, at now: Date,
    _ account: inout Account, on database: inout Database
  ) throws(EngagementError) {
    var parcel = parcel
    if case .event(var event) = parcel.work, let sequence = intent.event?.sequence,
      event.id == intent.event?.id
    {
      event.sequence = sequence
      parcel.work = .event(event)
    }
    let mark = intent.mark.flatMap { $0.item.id.provider == parcel.provider ? $0 : nil }
    try insert(parcel, undoing: mark?.action, in: partition, at: now, &account, on: &database)
  }

  /// Puts one row at the end of the outbox, unless it is there already.
  mutating func insert(
    _ parcel: Intent.Parcel, undoing action: ItemAction? = nil, in partition: Partition,
    at now: Date, _ account: inout Account, on database: inout Database
  ) throws(EngagementError) {
    var row = try StoredRow(parcel, undoing: action, in: partition.id, at: now)
    row.seal = row.seal(for: partition)
    guard try outbox.insert(row, on: &database) else { return }
    account.accepted(by: parcel.provider)
    account.report.hasNewRows = true
  }

  /// Evicts the oldest analytics until the limits hold; throws `queueFull` where that is not
  /// enough.
  mutating func makeRoom(
    in partition: Partition, mayExceed: Bool = false, _ account: inout Account,
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
      for id in oldest { try evict(id, in: partition, &account, on: &database) }
    }
  }

  private mutating func evict(
    _ id: OutboxRow.ID, in partition: Partition, _ account: inout Account,
    on database: inout Database
  ) throws(EngagementError) {
    guard let removed = try outbox.remove(id, on: &database) else { return }
    account.ended(removed.key, of: removed.provider, .evicted)
    // One event for all of them, whoever they were for, in the ledger of who needed the room.
    account.dropped(Account.Drop(partition: partition.id, ending: Ending.evicted.name))
  }
}

extension EngagementError {
  static let fullOutbox = EngagementError(
    .queueFull, "Too much waits to be sent; try again when some of it has arrived.")
}

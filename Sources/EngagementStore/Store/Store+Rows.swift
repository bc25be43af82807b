package import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

extension Store {
  // MARK: In

  /// Commits what a vendor sent, all of it or none.
  ///
  /// Secrets and push tokens are not the cache's: whoever calls has put them elsewhere. They are
  /// passed over here. Throws `notFound` for a user who was erased.
  package func commit(
    _ changes: [Change], from provider: ProviderID, in partition: Partition, at now: Date,
    recording events: [EngagementEvent] = []
  ) throws(EngagementError) -> CommitReport {
    let isNews = try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.isNews(changes, from: provider, in: partition, on: &database)
    }
    guard isNews || !events.isEmpty else { return CommitReport(passingOver: changes) }
    return try write { (tables, database) throws(EngagementError) in
      try tables.commit(
        changes, from: provider, in: partition, at: now, recording: events, on: &database)
    }
  }

  /// Commits what a vendor sent to whoever it is about, whose partition is made on first sight.
  package func commit(
    _ changes: [Change], from provider: ProviderID, of user: User, at now: Date,
    recording events: [EngagementEvent] = []
  ) throws(EngagementError) -> (CommitReport, Partition) {
    let partition = try partition(of: user, at: now)
    let report = try commit(changes, from: provider, in: partition, at: now, recording: events)
    return (report, partition)
  }

  // MARK: Out

  /// Accepts everything or nothing: `queueFull` where there is no room.
  ///
  /// An intent whose event is in the ledger already was accepted before: it changes nothing, and
  /// its event comes back with the sequence that it has. Throws `invalidArgument` for what could
  /// not be read back from the cache.
  package func accept(
    _ intents: [Intent], in partition: Partition, at now: Date
  ) throws(EngagementError) -> Acceptance {
    try accept(in: partition, at: now) { (_, _) throws(EngagementError) in intents }
  }

  /// Finds out how an item is spoken of; nil where it is not there.
  package typealias ItemSearch = (ItemID, Surface) throws(EngagementError) -> ItemReference?

  /// Makes what is to be accepted of what the user allows and of the items that are there.
  package typealias IntentMaker =
    @Sendable (Consent, ItemSearch) throws(EngagementError) -> [Intent]

  /// Accepts what the body makes, as above: nothing of this process comes in between.
  package func accept(
    in partition: Partition, at now: Date, making intents: IntentMaker
  ) throws(EngagementError) -> Acceptance {
    let intents = try read { (tables, database) throws(EngagementError) in
      let consent = try tables.partitions.require(partition, on: &database).consent
      let made = try intents(consent) { (id, surface) throws(EngagementError) in
        try tables.shelf.reference(to: id, on: surface, in: partition, on: &database)
      }
      try tables.refuseIfFull(made, on: &database)
      return made
    }
    guard !intents.isEmpty else { return Acceptance() }
    return try write { (tables, database) throws(EngagementError) in
      try tables.accept(intents, in: partition, at: now, on: &database)
    }
  }

  /// What waits for a provider, in the order in which it was accepted.
  ///
  /// A row that does not verify is never among it: it is ended as rejected, and counted.
  package func pending(
    for provider: ProviderID, in partition: Partition, limit: Int
  ) throws(EngagementError) -> [OutboxRow] {
    let found = try read { (tables, database) throws(EngagementError) in
      try tables.pending(for: provider, in: partition, limit: limit, on: &database)
    }
    if !found.damaged.isEmpty {
      try write { (tables, database) throws(EngagementError) in
        try tables.endDamaged(found.damaged, at: options.now(), on: &database)
      }
    }
    return found.sound
  }

  /// Those of the keys of which something waits, whoever's it is.
  package func pending(
    among keys: Set<OperationKey>
  ) throws(EngagementError) -> Set<OperationKey> {
    try read { (tables, database) throws(EngagementError) in
      var pending: Set<OperationKey> = []
      for key in keys where try tables.outbox.has(key, on: &database) { pending.insert(key) }
      return pending
    }
  }

  /// How many rows wait for each provider.
  package func pendingCounts(
    in partition: Partition
  ) throws(EngagementError) -> [ProviderID: Int] {
    try read { (tables, database) throws(EngagementError) in
      try tables.outbox.counts(in: partition.id, on: &database)
    }
  }

  /// Notes that the rows are about to be tried, as one batch for good where one is given, under
  /// its key, and since when they were waited for. It is durable before anything is sent.
  ///
  /// Throws `conflict`, and notes nothing, where a row came to its end in the meantime.
  package func begin(
    _ rows: [OutboxRow.ID], as batch: OutboxRow.ID?, called key: OperationKey? = nil,
    waited: Duration
  ) throws(EngagementError) {
    guard !rows.isEmpty else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.begin(rows, as: batch, called: key, waited: waited, on: &database)
    }
  }

  /// Notes that rows were not tried after all: nothing of them was sent.
  package func takeBack(_ rows: [OutboxRow.ID]) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      for row in rows { try tables.outbox.takeBack(row, on: &database) }
    }
  }

  /// Takes rows out of their batch, each to be tried alone: each is a batch of its own.
  package func split(_ batch: OutboxRow.ID) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.outbox.split(batch, on: &database)
    }
  }

  /// Ends rows. What a rejected action had made visible is taken back; rows that are gone are
  /// passed over.
  package func settle(
    _ endings: [(row: OutboxRow.ID, ending: Ending)], at now: Date
  ) throws(EngagementError) -> CommitReport {
    guard !endings.isEmpty else { return CommitReport() }
    return try write { (tables, database) throws(EngagementError) in
      var account = Account()
      for (row, ending) in endings {
        try tables.end(row, ending, at: now, &account, on: &database)
      }
      try tables.close(&account, at: now, on: &database)
      return account.report
    }
  }

  // MARK: The ledger

  /// Records events that nobody is told of; returns them with their sequences.
  ///
  /// Nothing is recorded of a user who has denied it: the events come back as they were.
  package func record(
    _ events: [EngagementEvent], in partition: Partition
  ) throws(EngagementError) -> [EngagementEvent] {
    guard !events.isEmpty, try consent(of: partition) != .denied else { return events }
    return try write { (tables, database) throws(EngagementError) in
      guard try tables.partitions.require(partition, on: &database).consent != .denied else {
        return events
      }
      var recorded = events
      for index in events.indices {
        recorded[index].sequence =
          try tables.ledger.append(events[index], of: partition.id, on: &database).sequence
      }
      return recorded
    }
  }

  /// Entries after a sequence, in order.
  package func entries(
    after sequence: Int64, limit: Int, in partition: Partition? = nil
  ) throws(EngagementError) -> [LedgerEntry] {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.entries(
        after: sequence, limit: limit, of: partition?.id, on: &database)
    }
  }
}

package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

extension Store {
  // MARK: Committing

  /// Commits what a vendor sent, all of it or none.
  ///
  /// Secrets and push tokens are passed over: the caller keeps them in the secret store. Throws
  /// `notFound` if the partition was erased or purged, perhaps by another process.
  ///
  /// - Parameters:
  ///   - assigning: What is recorded of the user's experiments in the same transaction.
  ///   - isOfOneItem: Whether the vendor answered about one item and listed none of the others.
  ///   - settlesOverlays: Whether overlays end that the vendor agrees with or whose item it no longer
  ///     lists; false if an older state may follow.
  ///   - loadsFeeds: Whether the report has the changed feeds as they are now.
  package func commit(
    _ changes: [Change], from provider: ProviderID, in partition: Partition, at now: Date,
    recording events: [EngagementEvent] = [], assigning assignments: AssignmentUpdate? = nil,
    isOfOneItem: Bool = false, settlesOverlays: Bool = true, loadsFeeds: Bool = false
  ) throws(EngagementError) -> CommitReport {
    let isNews = try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.isNews(changes, from: provider, in: partition, on: &database)
    }
    guard isNews || !events.isEmpty else { return CommitReport(passingOver: changes) }
    let number = loadsFeeds ? nextLoad() : nil
    return try write { (tables, database) throws(EngagementError) in
      var report = try tables.commit(
        changes, from: provider, in: partition, at: now, recording: events,
        isOfOneItem: isOfOneItem, settlesOverlays: settlesOverlays, on: &database)
      if let assignments {
        try tables.update(assignments, in: partition, at: now, on: &database)
      }
      if let number {
        report.loaded = try tables.load(
          report.feeds, of: partition, at: now, as: number, on: &database)
      }
      return report
    }
  }

  // MARK: The outbox

  /// Accepts all intents or none. Throws `queueFull` if the outbox has no room.
  ///
  /// If an intent's event is in the ledger already, the intent was accepted before: nothing changes,
  /// and the result has the event's sequence. Throws `invalidArgument` for values that could not be
  /// read back from the cache.
  package func accept(
    _ intents: [Intent], in partition: Partition, at now: Date
  ) throws(EngagementError) -> Acceptance {
    try accept(in: partition, at: now) { (_, _) throws(EngagementError) in intents }
  }

  /// Finds the reference to an item; nil if the cache does not have it.
  package typealias ItemSearch = (ItemID, Surface) throws(EngagementError) -> ItemReference?

  /// Makes intents, given the user's consent and a way to find items.
  package typealias IntentMaker =
    @Sendable (Consent, ItemSearch) throws(EngagementError) -> [Intent]

  /// Accepts the intents that the body makes, with no other call of this process in between.
  ///
  /// - Parameter loadsFeeds: Whether the result has the changed feeds as they are now.
  package func accept(
    in partition: Partition, at now: Date, loadsFeeds: Bool = false, making intents: IntentMaker
  ) throws(EngagementError) -> Acceptance {
    let intents = try read { (tables, database) throws(EngagementError) in
      let consent = try tables.partitions.require(partition, on: &database).consent
      let made = try intents(consent) { (id, surface) throws(EngagementError) in
        try tables.itemCache.reference(to: id, on: surface, in: partition, on: &database)
      }
      try tables.refuseIfFull(made, on: &database)
      return made
    }
    guard !intents.isEmpty else { return Acceptance() }
    let loads = loadsFeeds ? nextLoad() : nil
    return try accept(in: partition) { (tables, database) throws(EngagementError) in
      try tables.accept(intents, in: partition, at: now, loading: loads, on: &database)
    }
  }

  /// What a body makes of one owner's stored values.
  package struct ValueUpdate<Outcome> {
    package var intents: [Intent] = []
    /// The new values.
    package var changes: [Change] = []
    package var outcome: Outcome

    package init(_ outcome: Outcome) { self.outcome = outcome }
  }

  /// Makes intents and new values, given the user's consent, the values and a way to find items.
  package typealias ValueUpdater<Outcome> =
    @Sendable (Consent, ProviderMemory, ItemSearch) throws(EngagementError) -> ValueUpdate<Outcome>

  /// Accepts intents and changes stored values of one owner, in one transaction: no process of the
  /// cache changes the values after the body was given them.
  package func accept<Outcome>(
    in partition: Partition, at now: Date, loadsFeeds: Bool, updating owner: ProviderID,
    _ body: ValueUpdater<Outcome>
  ) throws(EngagementError) -> (Acceptance, Outcome) {
    let loads = loadsFeeds ? nextLoad() : nil
    return try accept(in: partition) { (tables, database) throws(EngagementError) in
      let consent = try tables.partitions.require(partition, on: &database).consent
      let memory = try tables.values.memory(of: owner, in: partition, on: &database)
      let update = try body(consent, memory) { (id, surface) throws(EngagementError) in
        try tables.itemCache.reference(to: id, on: surface, in: partition, on: &database)
      }
      _ = try tables.commit(update.changes, from: owner, in: partition, at: now, on: &database)
      let acceptance = try tables.accept(
        update.intents, in: partition, at: now, loading: loads, on: &database)
      return (acceptance, update.outcome)
    }
  }

  /// Writes rows of the user, who is then named in the log too.
  func accept<Value>(
    in partition: Partition,
    _ body: (inout Tables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    let isLogged = loggedUsers.contains(partition.id)
    defer { loggedUsers.insert(partition.id) }
    return try write { (tables, database) throws(EngagementError) in
      if !isLogged { try tables.partitions.log(partition, on: &database) }
      return try body(&tables, &database)
    }
  }

  /// A provider's pending rows, in the order in which they were accepted.
  ///
  /// A row whose checksum is wrong is not among them. It ends as rejected and is counted.
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

  /// The keys that have a pending row, of any user.
  package func pending(
    among keys: Set<OperationKey>
  ) throws(EngagementError) -> Set<OperationKey> {
    try read { (tables, database) throws(EngagementError) in
      var pending: Set<OperationKey> = []
      for key in keys where try tables.outbox.has(key, on: &database) { pending.insert(key) }
      return pending
    }
  }

  /// How many rows are pending for each provider.
  package func pendingCounts(
    in partition: Partition
  ) throws(EngagementError) -> [ProviderID: Int] {
    try read { (tables, database) throws(EngagementError) in
      try tables.outbox.counts(in: partition.id, on: &database)
    }
  }

  /// Marks rows as being sent, before the request is sent. With `batch`, the rows belong to that
  /// batch from now on and share its key. `waited` is the time since the last attempt.
  ///
  /// Throws `conflict`, and changes nothing, if one of the rows has ended.
  package func begin(
    _ rows: [OutboxRow.ID], as batch: OutboxRow.ID?, called key: OperationKey? = nil,
    waited: Duration
  ) throws(EngagementError) {
    guard !rows.isEmpty else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.begin(rows, as: batch, called: key, waited: waited, on: &database)
    }
  }

  /// Takes back `begin` for rows of which nothing was sent.
  package func takeBack(_ rows: [OutboxRow.ID]) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      for row in rows { try tables.outbox.takeBack(row, on: &database) }
    }
  }

  /// Takes rows out of their batch. Each becomes a batch of its own.
  package func split(_ batch: OutboxRow.ID) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.outbox.split(batch, on: &database)
    }
  }

  /// The file of an upload; nil if its row has ended.
  package func file(of row: OutboxRow.ID) throws(EngagementError) -> [UInt8]? {
    try read { (tables, database) throws(EngagementError) in
      try tables.uploads.file(of: row, on: &database)
    }
  }

  /// Takes back a submission of the item that was never sent, with its files; nil if there is none.
  package func cancelSubmission(
    of item: ItemID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport? {
    try write { (tables, database) throws(EngagementError) in
      var summary = TransactionSummary()
      let wasThere = try tables.cancelSubmission(
        of: item, in: partition, at: now, &summary, on: &database)
      try tables.close(&summary, at: now, on: &database)
      return wasThere ? summary.report : nil
    }
  }

  /// Ends rows and undoes the visible effects of rejected actions. Rows that have ended before are
  /// left out.
  package func settle(
    _ endings: [(row: OutboxRow.ID, ending: Ending)], at now: Date
  ) throws(EngagementError) -> CommitReport {
    guard !endings.isEmpty else { return CommitReport() }
    return try write { (tables, database) throws(EngagementError) in
      var summary = TransactionSummary()
      for (row, ending) in endings {
        try tables.end(row, ending, at: now, &summary, on: &database)
      }
      try tables.close(&summary, at: now, on: &database)
      return summary.report
    }
  }

  // MARK: The ledger

  /// Records events without a report to observers; returns them with their sequences.
  ///
  /// For a user who has denied consent, nothing is recorded.
  package func record(
    _ events: [EngagementEvent], in partition: Partition
  ) throws(EngagementError) -> [EngagementEvent] {
    guard !events.isEmpty, try consent(of: partition) != .denied else { return events }
    return try write { (tables, database) throws(EngagementError) in
      guard try tables.partitions.require(partition, on: &database).consent != .denied else {
        return events
      }
      var recorded = events
      let entries = try tables.ledger.append(events, of: partition.id, on: &database)
      for (index, entry) in entries.enumerated() { recorded[index].sequence = entry.sequence }
      return recorded
    }
  }

  /// The sequence of the last event, of any user; 0 if there is none.
  package func newestSequence() throws(EngagementError) -> Int64 {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.newestSequence(on: &database)
    }
  }

  /// The events after a sequence, in order.
  package func entries(
    after sequence: Int64, limit: Int, in partition: Partition? = nil
  ) throws(EngagementError) -> [LedgerEntry] {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.entries(
        after: sequence, limit: limit, of: partition?.id, on: &database)
    }
  }
}

extension Tables {
  /// Accepts all intents.
  ///
  /// - Parameter number: The number of a load; nil if the changed feeds are not asked for.
  fileprivate mutating func accept(
    _ intents: [Intent], in partition: Partition, at now: Date, loading number: Int64?,
    on database: inout Database
  ) throws(EngagementError) -> Acceptance {
    guard !intents.isEmpty else { return Acceptance() }
    var acceptance = try accept(intents, in: partition, at: now, on: &database)
    if let number, !acceptance.feeds.isEmpty {
      acceptance.loaded = try load(
        acceptance.feeds, of: partition, at: now, as: number, on: &database)
    }
    return acceptance
  }
}

package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

/// The changes and intents that one push, or one entry of an extension's journal, leads to.
package struct IncomingChanges: Hashable, Sendable {
  package var partition: Partition
  /// The provider that sent the push. Its changes are applied like those of an answer.
  package var provider: ProviderID
  package var changes: [Change]
  package var intents: [Intent]
  /// The kit's own values about it, such as which pushes were handled.
  package var kept: [Change]

  package init(
    in partition: Partition, from provider: ProviderID = "", changes: [Change] = [],
    intents: [Intent] = [], kept: [Change] = []
  ) {
    self.partition = partition
    self.provider = provider
    self.changes = changes
    self.intents = intents
    self.kept = kept
  }
}

/// The pushes or journal entries that are committed together.
package struct IncomingBatch: Hashable, Sendable {
  package var entries: [IncomingChanges]
  /// How many entries are dropped.
  package var dropped: Int

  package init(_ entries: [IncomingChanges] = [], dropping dropped: Int = 0) {
    self.entries = entries
    self.dropped = dropped
  }
}

extension Store {
  /// Reads one owner's stored values of a user.
  package typealias ValueSource = (Partition) throws(EngagementError) -> ProviderMemory

  /// Makes what is committed, given the owner's stored values.
  package typealias IncomingMaker =
    @Sendable (ValueSource) throws(EngagementError) -> IncomingBatch

  /// Commits the pushes or journal entries that the body makes, all of them or none, together with the
  /// kit's marks: no process of the cache changes the owner's values after the body has read them. An
  /// entry that comes again after a kill is known by its mark.
  ///
  /// Analytics are evicted to make room, and actions may exceed the limits of the outbox. Entries
  /// of an erased user are dropped. The number of all that are dropped is recorded in the ledger of
  /// the present user.
  package func commit(
    marking mark: Change? = nil, of owner: ProviderID, in present: Partition, at now: Date,
    making make: IncomingMaker
  ) throws(EngagementError) -> (
    batch: IncomingBatch, reports: [(report: CommitReport, partition: Partition)]
  ) {
    try write { (tables, database) throws(EngagementError) in
      let batch = try make { (partition) throws(EngagementError) in
        try tables.values.memory(of: owner, in: partition, on: &database)
      }
      var (reports, dropped) = (
        [(report: CommitReport, partition: Partition)](), batch.dropped
      )
      for entry in batch.entries {
        guard
          try tables.partitions.find(entry.partition.id, on: &database)?.partition
            == entry.partition
        else {
          dropped += 1
          continue
        }
        reports.append((try tables.commit(entry, at: now, on: &database), entry.partition))
        _ = try tables.commit(
          entry.kept, from: owner, in: entry.partition, at: now, on: &database)
      }
      _ = try tables.commit(
        mark.map { [$0] } ?? [], from: owner, in: present, at: now, on: &database)
      try tables.recordDropped(dropped, in: present, at: now, on: &database)
      return (batch, reports)
    }
  }

  /// The user's partition; nil if the cache does not know the user.
  package func knownPartition(of user: User) throws(EngagementError) -> Partition? {
    let environment = options.environment
    return try read { (tables, database) throws(EngagementError) in
      try tables.partitions.partition(of: user, in: environment, on: &database)
    }
  }
}

extension Tables {
  fileprivate mutating func commit(
    _ entry: IncomingChanges, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    var report = try commit(
      entry.changes, from: entry.provider, in: entry.partition, at: now, on: &database)
    guard !entry.intents.isEmpty else { return report }
    let acceptance = try accept(
      entry.intents, in: entry.partition, at: now, mayExceed: true, on: &database)
    report.feeds.formUnion(acceptance.feeds)
    report.ended += acceptance.ended
    report.hasNewRows = true
    if acceptance.hasNewCampaigns { report.hasNewCampaigns = true }
    return report
  }

  fileprivate mutating func recordDropped(
    _ count: Int, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    guard count > 0 else { return }
    let properties = ObjectEncoder(["reason": "journal", "count": count])
    try record(
      EngagementEvent(
        id: eventID(at: now), kind: .outboxDropped, time: now.writable,
        properties: properties.object),
      in: partition.id, on: &database)
  }
}

package import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

/// What a push comes to, or one entry of an extension's journal.
package struct Folded: Hashable, Sendable {
  package var partition: Partition
  /// Who sent the push; its changes are as from an answer.
  package var provider: ProviderID
  package var changes: [Change]
  package var intents: [Intent]
  /// What the kit itself remembers of it.
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

extension Store {
  /// Commits what a push or a journal comes to, all of it or none, and with it the marks that say
  /// so: what is handed over again after a kill is known by them.
  ///
  /// The limits of the outbox hold for what is accepted here, and not for what a journal accepted
  /// before. What is of a user who was erased is dropped; that, and what was dropped before, is
  /// told in the ledger of the one who is present.
  package func fold(
    _ folded: [Folded], dropping count: Int = 0, marking mark: Change? = nil, of owner: ProviderID,
    in present: Partition, at now: Date
  ) throws(EngagementError) -> [(report: CommitReport, partition: Partition)] {
    try write { (tables, database) throws(EngagementError) in
      var (reports, dropped) = ([(report: CommitReport, partition: Partition)](), count)
      for entry in folded {
        guard
          try tables.partitions.find(entry.partition.id, on: &database)?.partition
            == entry.partition
        else {
          dropped += 1
          continue
        }
        reports.append((try tables.fold(entry, at: now, on: &database), entry.partition))
        _ = try tables.commit(
          entry.kept, from: owner, in: entry.partition, at: now, on: &database)
      }
      _ = try tables.commit(
        mark.map { [$0] } ?? [], from: owner, in: present, at: now, on: &database)
      try tables.tellDropped(dropped, in: present, at: now, on: &database)
      return reports
    }
  }

  /// The user's partition; nil where the cache does not know the user.
  package func knownPartition(of user: User) throws(EngagementError) -> Partition? {
    let environment = options.environment
    return try read { (tables, database) throws(EngagementError) in
      try tables.partitions.partition(of: user, in: environment, on: &database)
    }
  }
}

extension Tables {
  fileprivate mutating func fold(
    _ entry: Folded, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    var report = try commit(
      entry.changes, from: entry.provider, in: entry.partition, at: now, on: &database)
    guard !entry.intents.isEmpty else { return report }
    let acceptance = try accept(
      entry.intents, in: entry.partition, at: now, mayExceed: true, on: &database)
    report.feeds.formUnion(acceptance.feeds)
    report.ended += acceptance.ended
    report.hasNewRows = true
    return report
  }

  fileprivate mutating func tellDropped(
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

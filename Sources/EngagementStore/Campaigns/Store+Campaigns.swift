package import EngagementModel
package import EngagementPlatform

extension Store {
  /// The user's queued campaigns after that id, in the order in which they were queued.
  ///
  /// A row whose checksum is wrong is not among them. It is dropped, and an event counts it.
  package func queuedCampaigns(
    of partition: Partition, after id: Int64 = 0
  ) throws(EngagementError) -> [QueuedCampaign] {
    let rows = try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.campaigns.queue.rows(of: partition.id, after: id, on: &database)
    }
    let read = rows.map { (row: $0, campaign: $0.isSound(for: partition) ? $0.read() : nil) }
    let damaged = read.filter { $0.campaign == nil }.map(\.row)
    if !damaged.isEmpty {
      try write { (tables, database) throws(EngagementError) in
        try tables.endDamagedCampaigns(damaged, of: partition, at: options.now(), on: &database)
      }
    }
    return read.compactMap(\.campaign)
  }

  /// Queues what an action of another presentation called. It is due at once.
  ///
  /// Throws `invalidArgument` for a campaign that could not be read back from the cache.
  package func queueCampaign(
    _ campaign: Campaign, from provider: ProviderID, isFirst: Bool, expiresAt: Date,
    of partition: Partition, at now: Date
  ) throws(EngagementError) -> QueuedCampaign {
    let due = CampaignEvaluation.Due(campaign: campaign, presentAt: now, expiresAt: expiresAt)
    var row = try QueueRow(due, from: provider, isFirst: isFirst, of: partition)
    row.id = try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.campaigns.queue.insert(row, on: &database)
    }
    guard let queued = row.read() else {
      throw EngagementError(.invalidArgument, "The campaign can't be kept.")
    }
    return queued
  }

  /// Records that a presenter is about to get the campaign; durable when it returns.
  ///
  /// False if another process has handed it over since, or if it was presented or has ended.
  ///
  /// - Parameter count: How many hand-overs the caller knows of.
  package func handOverCampaign(
    _ id: Int64, count: Int, of partition: Partition
  ) throws(EngagementError) -> Bool {
    try write { (tables, database) throws(EngagementError) in
      guard var row = try tables.waitingCampaign(id, of: partition, on: &database),
        row.handOvers == Int64(count)
      else { return false }
      row.handOvers += 1
      try tables.campaigns.queue.update(row, of: partition, on: &database)
      return true
    }
  }

  /// Makes the intents that record what became of a campaign, given the user's consent.
  package typealias CampaignIntentMaker = @Sendable (Consent) -> [Intent]

  /// Records that the campaign is presented: the presentation counts, the row is marked and the
  /// intents are accepted, all in one transaction. The intents may exceed the limits of the outbox.
  ///
  /// Nil, and nothing is recorded, if it was recorded before or the campaign has ended. For a user
  /// who has denied consent the presentation is not counted.
  ///
  /// - Parameters:
  ///   - counts: Whether the vendor's caps count it; not what an action called.
  ///   - showing: What the application's caps count; nil if nothing.
  package func presentCampaign(
    _ id: Int64, counts: Bool = true, in session: SessionID?, showing: CountedShowing? = nil,
    of partition: Partition, at now: Date, recording intents: CampaignIntentMaker = { _ in [] }
  ) throws(EngagementError) -> Acceptance? {
    try accept(in: partition) { (tables, database) throws(EngagementError) in
      guard var row = try tables.waitingCampaign(id, of: partition, on: &database),
        let campaign = row.read()?.campaign
      else { return nil }
      row.presented = 1
      try tables.campaigns.queue.update(row, of: partition, on: &database)
      let consent = try tables.partitions.require(partition, on: &database).consent
      if counts, consent != .denied {
        try tables.campaigns.counts.add(
          presentationOf: campaign.id, at: now, in: session,
          of: CampaignOwner(partition, row.provider), on: &database)
      }
      if let showing, consent != .denied {
        try tables.showings.add(showing, of: partition.id, on: &database)
      }
      return try tables.accept(
        intents(consent), in: partition, at: now, mayExceed: true, on: &database)
    }
  }

  /// Ends the campaign: the row goes, and the intents are accepted, in one transaction. They may
  /// exceed the limits of the outbox.
  ///
  /// Nil, and nothing is recorded, if it has ended already.
  package func endCampaign(
    _ id: Int64, of partition: Partition, at now: Date,
    recording intents: CampaignIntentMaker = { _ in [] }
  ) throws(EngagementError) -> Acceptance? {
    try accept(in: partition) { (tables, database) throws(EngagementError) in
      guard let row = try tables.campaigns.queue.row(id, on: &database),
        row.partition == partition.id
      else { return nil }
      let consent = try tables.partitions.require(partition, on: &database).consent
      try tables.campaigns.queue.delete(id, on: &database)
      return try tables.accept(
        intents(consent), in: partition, at: now, mayExceed: true, on: &database)
    }
  }

  /// The counts and caps of all providers with campaigns, for deciding right before a presentation.
  ///
  /// - Parameter sessions: The present session at each provider.
  package func campaignTallies(
    of partition: Partition, in sessions: [ProviderID: SessionID]
  ) throws(EngagementError) -> [ProviderID: CampaignTally] {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.campaignTallies(of: partition, in: sessions, on: &database)
    }
  }

  /// Evaluates rows that waited for the vendor's answer, since their attempt got none. Does nothing
  /// for other rows.
  package func noteFailedAttempt(
    _ rows: [OutboxRow.ID], at now: Date
  ) throws(EngagementError) -> CommitReport {
    let waiting = try read { (tables, database) throws(EngagementError) in
      try tables.awaitingAnswer(rows, on: &database)
    }
    guard !waiting.isEmpty else { return CommitReport() }
    return try write { (tables, database) throws(EngagementError) in
      var summary = TransactionSummary()
      for row in waiting { try tables.noteAnswer(to: row, &summary, on: &database) }
      try tables.close(&summary, at: now, on: &database)
      return summary.report
    }
  }
}

extension Tables {
  /// The user's queued campaign; nil if it was presented, has ended or is damaged.
  fileprivate mutating func waitingCampaign(
    _ id: Int64, of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> QueueRow? {
    guard let row = try campaigns.queue.row(id, on: &database), row.isSound(for: partition),
      row.presented == 0
    else { return nil }
    return row
  }

  fileprivate mutating func awaitingAnswer(
    _ rows: [OutboxRow.ID], on database: inout Database
  ) throws(EngagementError) -> [OutboxRow.ID] {
    guard !campaigns.adapters.isEmpty else { return [] }
    var waiting: [OutboxRow.ID] = []
    for row in rows where try campaigns.waits.has(row, on: &database) { waiting.append(row) }
    return waiting
  }
}

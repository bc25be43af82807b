import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// Whose occurrences are evaluated, and when.
struct CampaignOccasion {
  let partition: Partition
  let provider: ProviderID
  let now: Date
  let zoneOffset: Int
  let session: SessionID?

  var owner: CampaignOwner { CampaignOwner(partition, provider) }
  var moment: CampaignMoment { CampaignMoment(now, zoneOffset: zoneOffset) }

  init(
    _ partition: Partition, _ provider: ProviderID, at now: Date, zoneOffset: Int,
    in session: SessionID? = nil
  ) {
    self.partition = partition
    self.provider = provider
    self.now = now
    self.zoneOffset = zoneOffset
    self.session = session
  }
}

// Both methods run for every accepted row: without a vendor that has campaigns they return at once.
extension Tables {
  /// Evaluates what a row that was just accepted means for its vendor's campaigns. What waits for the
  /// vendor's answer is evaluated when the row fails or ends.
  mutating func evaluate(
    _ delivery: Intent.Delivery, of intent: Intent, in partition: Partition, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    guard let adapter = campaigns.adapters[delivery.provider] else { return }
    let occurrences = adapter.occurrences(in: delivery.work.asOperation)
    guard !occurrences.isEmpty else { return }
    if occurrences.contains(where: \.waitsForAnswer) {
      try campaigns.waits.insert(
        try outbox.last(in: partition.id, on: &database), on: &database)
    }
    try evaluate(
      occurrences.filter { !$0.waitsForAnswer },
      on: occasion(
        of: delivery.work, with: intent.event, for: delivery.provider, in: partition, now),
      &summary, on: &database)
  }

  /// Notes that the first answer to a row is there, or that there is none. The row is evaluated when
  /// the rest of the transaction is done, against the campaigns that are known then.
  mutating func noteAnswer(
    to id: OutboxRow.ID, _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    guard !campaigns.adapters.isEmpty, try campaigns.waits.remove(id, on: &database),
      let row = try outbox.row(id, on: &database)
    else { return }
    summary.answered.append(row)
  }

  /// Evaluates the rows whose answers came in this transaction.
  mutating func evaluateAnswered(
    at now: Date, _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    let rows = summary.answered
    summary.answered = []
    for row in rows {
      guard let adapter = campaigns.adapters[row.provider],
        let known = try partitions.find(row.partition, on: &database), known.consent != .denied,
        row.isSound(for: known.partition), let work = try? row.work()
      else { continue }
      try evaluate(
        adapter.occurrences(in: work.asOperation).filter(\.waitsForAnswer),
        on: occasion(of: work, with: nil, for: row.provider, in: known.partition, now),
        &summary, on: &database)
    }
  }

  private func occasion(
    of work: OutboxRow.Work, with event: EngagementEvent?, for provider: ProviderID,
    in partition: Partition, _ now: Date
  ) -> CampaignOccasion {
    // The delivered event has the session at its provider.
    var event = event
    if case .event(let own) = work { event = own }
    return CampaignOccasion(
      partition, provider, at: now, zoneOffset: event?.zoneOffset ?? options.zoneOffset(),
      in: event?.session)
  }
}

extension Tables {
  private mutating func evaluate(
    _ occurrences: [Campaign.Occurrence], on occasion: CampaignOccasion,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    guard !occurrences.isEmpty else { return }
    let completed = try complete(occurrences, of: occasion.owner, on: &database)
    guard !completed.isEmpty else { return }
    let known = try knownCampaigns(on: occasion, on: &database)
    if let evaluator = known.campaigns {
      let evaluation = try evaluate(completed, by: evaluator, on: occasion, on: &database)
      try apply(evaluation, of: completed, evaluator, on: occasion, &summary, on: &database)
    }
    if let evaluator = known.announced {
      let evaluation = try evaluate(completed, by: evaluator, on: occasion, on: &database)
      try campaigns.counts.add(fired: evaluation.fired, of: occasion.owner, on: &database)
      for campaign in evaluation.eligible {
        try campaigns.reports.add(.due, campaign, of: occasion.owner, on: &database)
      }
    }
  }

  /// The occurrences with what the cache knows of the user, without those that change nothing.
  private mutating func complete(
    _ occurrences: [Campaign.Occurrence], of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> [Campaign.Occurrence] {
    var completed: [Campaign.Occurrence] = []
    for var occurrence in occurrences {
      if let attribute = occurrence.attribute {
        let new = occurrence.properties["newValue"]
        switch try campaigns.facts.change(attribute, to: new, of: owner, on: &database) {
        case .nothing: continue
        case .from(let old): occurrence.properties["oldValue"] = old
        }
      }
      occurrence.position = occurrence.position ?? options.position()
      occurrence.isFirst = try campaigns.facts.isFirst(occurrence.name, of: owner, on: &database)
      completed.append(occurrence)
    }
    return completed
  }

  private mutating func evaluate(
    _ occurrences: [Campaign.Occurrence], by evaluator: CampaignEvaluator,
    on occasion: CampaignOccasion, on database: inout Database
  ) throws(EngagementError) -> CampaignEvaluation {
    let counts = try campaigns.counts.counts(of: occasion.owner, on: &database)
    return evaluator.evaluate(occurrences, at: occasion.moment) {
      counts.counts(of: $0, in: occasion.session)
    }
  }

  private mutating func apply(
    _ evaluation: CampaignEvaluation, of occurrences: [Campaign.Occurrence],
    _ evaluator: CampaignEvaluator, on occasion: CampaignOccasion,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    try campaigns.counts.add(fired: evaluation.fired, of: occasion.owner, on: &database)
    for due in evaluation.due {
      let trigger = occurrences.first { occurrence in
        occurrences.count == 1
          || evaluator.evaluate([occurrence], at: occasion.moment) { _ in CampaignCounts() }.fired
            .contains(due.campaign.id)
      }
      try enqueue(due, triggeredBy: trigger?.name, on: occasion, &summary, on: &database)
    }
    for campaign in evaluation.suppressed {
      try reportSuppressed(campaign, on: occasion, on: &database)
    }
  }

  /// The prepared campaigns. They are read from the cached items once.
  private mutating func knownCampaigns(
    on occasion: CampaignOccasion, on database: inout Database
  ) throws(EngagementError) -> KnownCampaigns {
    if let known = campaigns.known(of: occasion.owner, at: occasion.now) { return known }
    let (provider, partition) = (occasion.provider, occasion.partition)
    let known = KnownCampaigns(
      try itemCache.listedCampaigns(
        in: FeedKey(provider, .campaigns), of: partition, on: &database),
      announced: try itemCache.listedCampaigns(
        in: FeedKey(provider, .announcedCampaigns), of: partition, on: &database),
      at: occasion.now)
    campaigns.remember(known, of: occasion.owner)
    return known
  }
}

extension OutboxRow.Work {
  /// The operation that delivers it.
  fileprivate var asOperation: Operation {
    switch self {
    case .event(let event): .events([event])
    case .operation(let operation): operation
    }
  }
}

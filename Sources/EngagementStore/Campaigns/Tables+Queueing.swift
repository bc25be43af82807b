import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Queues a campaign that is due, and records that. One that waits already is not queued again. A
  /// campaign that could not be read back from the cache is passed over: its event is accepted
  /// nevertheless.
  mutating func enqueue(
    _ due: CampaignEvaluation.Due, triggeredBy trigger: String?, on occasion: CampaignOccasion,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    guard let row = try? QueueRow(due, from: occasion.provider, of: occasion.partition) else {
      return
    }
    let waiting = try campaigns.queue.waiting(row.campaign, of: occasion.owner, on: &database)
    guard !waiting.contains(where: { $0.covers(row, at: occasion) }) else { return }
    _ = try campaigns.queue.insert(row, on: &database)
    summary.report.hasNewCampaigns = true
    try record(
      .campaignDue, of: ItemReference(due.campaign), ObjectEncoder(["trigger": trigger]).object,
      on: occasion, on: &database)
  }

  /// Notes that the vendor is to be told of a campaign that was due and is not presented.
  mutating func reportSuppressed(
    _ campaign: Campaign, on occasion: CampaignOccasion, on database: inout Database
  ) throws(EngagementError) {
    try campaigns.reports.add(.suppressed, campaign, of: occasion.owner, on: &database)
    try record(
      .campaignDropped, of: ItemReference(campaign), ["reason": "suppressed"], on: occasion,
      on: &database)
  }

  private mutating func record(
    _ kind: EngagementEvent.Kind, of item: ItemReference, _ properties: JSONObject,
    on occasion: CampaignOccasion, on database: inout Database
  ) throws(EngagementError) {
    let event = EngagementEvent(
      id: eventID(at: occasion.now), kind: kind, time: occasion.now.writable,
      zoneOffset: occasion.zoneOffset, session: occasion.session, provider: occasion.provider,
      item: item, properties: properties)
    try record(event, in: occasion.partition.id, on: &database)
  }

  // MARK: The vendor's changes

  /// Applies a change of the vendor's campaigns; returns what of it is for the item cache.
  mutating func applyToCampaigns(
    _ change: FeedChange, from provider: ProviderID, in partition: Partition, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) -> FeedChange? {
    guard change.feed.surface == .campaigns else { return change }
    let occasion = CampaignOccasion(
      partition, provider, at: now, zoneOffset: options.zoneOffset())
    switch change.effect {
    case .items(_, let items) where change.feed == .dueCampaigns:
      let bad = try queueDue(items, on: occasion, &summary, on: &database)
      return bad.isEmpty ? nil : FeedChange(change.feed, .items(.put, bad))
    case .removed(let ids) where change.feed == .campaigns:
      for id in ids {
        try removeCounts(of: ItemKey(id), on: occasion, on: &database)
      }
      return change
    case .items, .removed, .unchanged, .total: return change
    }
  }

  /// Queues campaigns that the vendor wants presented now; returns those that cannot be read. The
  /// items themselves are not kept.
  private mutating func queueDue(
    _ items: [RawItem], on occasion: CampaignOccasion, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) -> [RawItem] {
    guard let adapter = options.adapters[occasion.provider] else { return items }
    let mapper = ItemMapper(adapter, for: occasion.provider, on: .campaigns)
    let consent = try partitions.require(occasion.partition, on: &database).consent
    var bad: [RawItem] = []
    for item in items {
      switch mapper.read(item) {
      case .bad: bad.append(item)
      case .content(.campaign(let campaign)) where consent != .denied:
        try queueDue(campaign, on: occasion, &summary, on: &database)
      case .content, .unknown: break
      }
    }
    return bad
  }

  private mutating func queueDue(
    _ campaign: Campaign, on occasion: CampaignOccasion, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    guard !campaign.isSuppressed else {
      return try reportSuppressed(campaign, on: occasion, on: &database)
    }
    try enqueue(
      campaign.due(at: occasion.now), triggeredBy: nil, on: occasion, &summary, on: &database)
  }

  /// Deletes the counts of a campaign and what waits of it.
  private mutating func removeCounts(
    of campaign: ItemKey, on occasion: CampaignOccasion, on database: inout Database
  ) throws(EngagementError) {
    try campaigns.counts.remove(campaign, of: occasion.owner, on: &database)
    for row in try campaigns.queue.waiting(campaign.bytes, of: occasion.owner, on: &database) {
      try drop(row, because: "removed", on: occasion, on: &database)
    }
  }

  /// Takes a row out of the queue and records why.
  private mutating func drop(
    _ row: QueueRow, because reason: String, on occasion: CampaignOccasion,
    on database: inout Database
  ) throws(EngagementError) {
    try campaigns.queue.delete(row.id, on: &database)
    let id = ItemID(row.provider, String(decoding: row.campaign, as: UTF8.self))
    try record(
      .campaignDropped, of: ItemReference(id, on: .campaigns),
      ObjectEncoder(["reason": reason]).object, on: occasion, on: &database)
  }

  // MARK: Users

  /// Ends every row of the queue that was not presented, and forgets what vendors do not know. Counts
  /// and facts stay, so that limits hold when the user is back.
  mutating func wipeCampaigns(
    of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    for row in try campaigns.queue.rows(of: partition.id, on: &database) where row.presented == 0 {
      try drop(row, because: "wiped", on: occasion(of: row, in: partition, now), on: &database)
    }
    try campaigns.queue.erase(partition.id, on: &database)
    try campaigns.reports.erase(partition.id, on: &database)
  }

  /// Ends rows whose checksum is wrong. Nothing in them is trusted.
  mutating func endDamagedCampaigns(
    _ rows: [QueueRow], of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    for row in rows { try campaigns.queue.delete(row.id, on: &database) }
    guard !rows.isEmpty else { return }
    let properties = ObjectEncoder(["reason": "damaged", "count": rows.count]).object
    try record(
      EngagementEvent(
        id: eventID(at: now), kind: .campaignDropped, time: now.writable,
        zoneOffset: options.zoneOffset(), properties: properties),
      in: partition.id, on: &database)
  }

  /// Gives another user what the cache keeps of the campaigns of these providers. Returns whether
  /// campaigns wait to be presented to that user now.
  mutating func adoptCampaigns(
    _ former: Partition, into partition: Partition, for providers: Set<ProviderID>, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    let providers = providers.filter { campaigns.adapters[$0] != nil }
    guard !providers.isEmpty else { return false }
    for provider in providers.sorted() {
      let owners = (CampaignOwner(former, provider), CampaignOwner(partition, provider))
      try campaigns.counts.move(owners.0, to: owners.1, on: &database)
      try campaigns.facts.move(owners.0, to: owners.1, on: &database)
      try campaigns.reports.move(owners.0, to: owners.1, on: &database)
    }
    let rows = try campaigns.queue.rows(of: former.id, on: &database)
    try endDamagedCampaigns(
      rows.filter { !$0.isSound(for: former) }, of: former, at: now, on: &database)
    let moved = rows.filter { $0.isSound(for: former) && providers.contains($0.provider) }
    for row in moved { try campaigns.queue.update(row, of: partition, on: &database) }
    return !moved.isEmpty
  }

  private func occasion(of row: QueueRow, in partition: Partition, _ now: Date) -> CampaignOccasion
  {
    CampaignOccasion(partition, row.provider, at: now, zoneOffset: options.zoneOffset())
  }
}

extension QueueRow {
  /// Whether the other row would present the same thing again while this one can still be presented.
  fileprivate func covers(_ other: QueueRow, at occasion: CampaignOccasion) -> Bool {
    body == other.body && expiresAt > occasion.now.storedMilliseconds
      && isSound(for: occasion.partition)
  }
}

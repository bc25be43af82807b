import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension Tables {
  /// Whether there is anything to write.
  mutating func isNews(
    _ changes: [Change], from provider: ProviderID, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    for change in changes {
      switch change.destination {
      case .items, .ledger: return true
      case .outbox(let change): if change.isNews { return true }
      case .values(let change):
        if try values.isNews(change, from: provider, in: partition, on: &database) { return true }
      case .campaigns(let mark):
        let owner = CampaignOwner(partition, provider)
        if try campaigns.reports.isNews(through: mark, of: owner, on: &database) { return true }
      case .secrets, .report: break
      }
    }
    return false
  }

  mutating func commit(
    _ changes: [Change], from provider: ProviderID, in partition: Partition, at now: Date,
    recording events: [EngagementEvent] = [], isOfOneItem: Bool = false,
    settlesOverlays: Bool = true, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    let consent = try partitions.require(partition, on: &database).consent
    var summary = TransactionSummary()
    var changesItems = false
    if changes.contains(where: \.changesItems) {
      summary.report = try updateContentKeys(of: partition, at: now, on: &database)
    }
    for change in changes {
      switch change.destination {
      case .items(let change):
        changesItems = true
        try apply(
          change, from: provider, in: partition, isOfOneItem: isOfOneItem, at: now, &summary,
          on: &database)
      case .values(let change):
        guard try values.remember(change, from: provider, in: partition, on: &database) else {
          continue
        }
        summary.report.note(change)
      case .outbox(let change):
        try apply(change, from: provider, in: partition, at: now, &summary, on: &database)
      case .ledger(let change):
        let event = EngagementEvent(
          id: eventID(at: now), kind: change.kind, time: now.writable, provider: provider,
          item: change.item, properties: change.properties)
        try record(event, in: partition.id, on: &database)
      case .campaigns(let mark):
        try campaigns.reports.confirm(
          through: mark, of: CampaignOwner(partition, provider), on: &database)
      case .report(let error): summary.report.ignored.append(error)
      // The caller gives these to the secret store.
      case .secrets: break
      }
    }
    if changesItems {
      let keepsUnlisted = try keepsUnlistedContents(of: partition, on: &database)
      try itemCache.finish(
        in: partition, settling: settlesOverlays, keepingUnlisted: keepsUnlisted, at: now,
        to: &summary.report, on: &database)
      for feed in summary.updatedFeeds {
        try recordUpdate(of: feed, from: provider, in: partition, at: now, on: &database)
      }
      for items in summary.report.added where consent != .denied {
        try recordDelivered(items, in: partition, at: now, on: &database)
      }
      try recordQuarantined(summary.report.quarantined, in: partition, at: now, on: &database)
      try recordDuplicated(&summary.report, in: partition, at: now, on: &database)
    }
    if consent != .denied, !events.isEmpty {
      try ledger.append(events, of: partition.id, on: &database)
    }
    try close(&summary, at: now, on: &database)
    return summary.report
  }

  private mutating func apply(
    _ change: FeedChange, from provider: ProviderID, in partition: Partition, isOfOneItem: Bool,
    at now: Date, _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    let rest = try applyToCampaigns(
      change, from: provider, in: partition, at: now, &summary, on: &database)
    guard let rest else { return }
    let surface = rest.feed.surface
    let version = itemCache.contentVersion(of: provider, on: surface, in: partition)
    try itemCache.apply(
      rest, from: provider, in: partition, refreshedAt: isOfOneItem ? nil : now, at: now,
      to: &summary.report, on: &database)
    let newVersion = itemCache.contentVersion(of: provider, on: surface, in: partition)
    if surface == .campaigns, version == nil || version != newVersion {
      campaigns.forgetCampaigns(of: CampaignOwner(partition, provider))
    }
    if surface == .cards, version ?? 0 != newVersion, !summary.updatedFeeds.contains(rest.feed) {
      summary.updatedFeeds.append(rest.feed)
    }
  }

  /// Records that the vendor has changed a list of cards.
  private mutating func recordUpdate(
    of feed: Feed, from provider: ProviderID, in partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) {
    let count = itemCache.listedCount(in: feed, of: provider, for: partition)
    var properties: JSONObject = ["count": .integer(Int64(count))]
    properties["containerID"] = feed.container.map { .string($0.rawValue) }
    let event = EngagementEvent(
      id: eventID(at: now), kind: .feedUpdated, time: now.writable, provider: provider,
      properties: properties)
    try record(event, in: partition.id, on: &database)
  }

  private mutating func apply(
    _ change: OutboxChange, from provider: ProviderID, in partition: Partition, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    switch change {
    case .settled(let ids):
      for id in ids {
        for row in try outbox.rows(with: id, for: provider, in: partition.id, on: &database) {
          try end(row, .delivered, at: now, &summary, on: &database)
        }
      }
    case .abandoned(let surface, let reason):
      let ending = Ending.rejected(EngagementError(.conflict, reason, provider: provider))
      for row in try outbox.rows(on: surface, for: provider, in: partition.id, on: &database) {
        try end(row, ending, at: now, &summary, on: &database)
      }
    case .wanted(let operation):
      try want(operation, from: provider, in: partition, at: now, &summary, on: &database)
    }
  }

  /// Accepts an operation that an answer asks for. If there is no room, the rest of the answer is
  /// committed nevertheless, and the report says so.
  private mutating func want(
    _ operation: Operation, from provider: ProviderID, in partition: Partition, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    let load = try outbox.load(on: &database)
    guard load.rows - load.analyticsRows < options.limits.rows else {
      var error = EngagementError.fullOutbox
      error.provider = provider
      error.operation = operation.verb.rawValue
      summary.report.ignored.append(error)
      return
    }
    let delivery = Intent.Delivery(to: provider, .operation(operation), key: operationKey())
    try insert(delivery, in: partition, at: now, &summary, on: &database)
    try makeRoom(in: partition, &summary, on: &database)
  }

  /// Records each card and message that the vendor has sent to the user for the first time.
  private mutating func recordDelivered(
    _ items: AddedItems, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    let new = try delivered.insert(items, to: partition.id, on: &database)
    guard new.count > 0 else { return }
    if let limit = options.retention.maximumPayload {
      let events = try new.indices.map { (index) throws(EngagementError) in
        try delivery(of: new[index], in: new, to: partition.id, at: now, limit, on: &database)
      }
      try ledger.append(events, of: partition.id, on: &database)
      return
    }
    try ledger.appendDelivered(
      new, to: partition.id, at: now.writable, zoneOffset: options.zoneOffset(),
      ids: eventIDs(new.count, at: now), on: &database)
  }

  /// The event that an item was delivered, with what its vendor sent, up to a size.
  private mutating func delivery(
    of id: ArraySlice<UInt8>, in items: AddedItems, to partition: Partition.ID, at now: Date,
    _ limit: Int, on database: inout Database
  ) throws(EngagementError) -> EngagementEvent {
    let payload = try itemCache.payload(of: id, in: items, of: partition, on: &database)
    var properties: JSONObject = [:]
    if let payload, payload.size <= limit {
      properties["payload"] = payload.json
    } else if let payload {
      properties["payloadBytes"] = .integer(Int64(payload.size))
    }
    let item = ItemReference(
      ItemID(items.provider, String(decoding: id, as: UTF8.self)), on: items.surface,
      in: items.container)
    return EngagementEvent(
      id: eventID(at: now), kind: .delivered, time: now.writable, zoneOffset: options.zoneOffset(),
      provider: items.provider, item: item, properties: properties)
  }

  private mutating func recordQuarantined(
    _ items: [CommitReport.Quarantined], in partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) {
    for item in items {
      let properties = ObjectEncoder([
        "surface": item.feed.feed.surface, "index": item.index, "reason": item.reason,
      ])
      let event = EngagementEvent(
        id: eventID(at: now), kind: .itemQuarantined, time: now.writable,
        provider: item.feed.provider, properties: properties.object)
      try record(event, in: partition.id, on: &database)
    }
  }
}

extension Change {
  fileprivate var changesItems: Bool { if case .items = destination { true } else { false } }
}

extension CommitReport {
  /// Notes that a new value is remembered.
  fileprivate mutating func note(_ change: ValueChange) {
    switch change {
    case .person: hasNewPerson = true
    case .metrics: hasNewMetrics = true
    case .settings: hasNewSettings = true
    case .keep, .throttled, .paused: break
    }
  }

  /// The report of a commit that writes nothing.
  init(passingOver changes: [Change]) {
    for case .report(let error) in changes.map(\.destination) { ignored.append(error) }
  }
}

extension OutboxChange {
  /// Whether there may be something to write.
  fileprivate var isNews: Bool {
    switch self {
    case .settled(let ids): !ids.isEmpty
    case .abandoned, .wanted: true
    }
  }
}

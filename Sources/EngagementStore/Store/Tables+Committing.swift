import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Tables {
  /// Whether there is anything to write.
  mutating func isNews(
    _ changes: [Change], from provider: ProviderID, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    for change in changes {
      switch change {
      case .items, .removed, .unchanged, .total, .abandoned, .wanted: return true
      case .settled(let ids): if !ids.isEmpty { return true }
      default:
        if try values.isNews(change, from: provider, in: partition, on: &database) { return true }
      }
    }
    return false
  }

  mutating func commit(
    _ changes: [Change], from provider: ProviderID, in partition: Partition, at now: Date,
    recording events: [EngagementEvent] = [], on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    let consent = try partitions.require(partition, on: &database).consent
    var account = Account()
    var shelved = false
    for change in changes {
      switch change {
      case .items, .removed, .unchanged, .total:
        shelved = true
        try shelf.apply(
          change, from: provider, in: partition, at: now, to: &account.report, on: &database)
      default:
        try apply(change, from: provider, in: partition, at: now, &account, on: &database)
      }
    }
    if shelved {
      try shelf.finish(in: partition, at: now, to: &account.report, on: &database)
      try tellQuarantined(account.report.quarantined, in: partition, at: now, on: &database)
    }
    if consent != .denied {
      for event in events { _ = try ledger.append(event, of: partition.id, on: &database) }
    }
    try close(&account, at: now, on: &database)
    return account.report
  }

  private mutating func apply(
    _ change: Change, from provider: ProviderID, in partition: Partition, at now: Date,
    _ account: inout Account, on database: inout Database
  ) throws(EngagementError) {
    switch change {
    case .settled(let ids):
      for id in ids {
        for row in try outbox.rows(with: id, for: provider, in: partition.id, on: &database) {
          try end(row, .delivered, at: now, &account, on: &database)
        }
      }
    case .abandoned(let surface, let reason):
      let ending = Ending.rejected(EngagementError(.conflict, reason, provider: provider))
      for row in try outbox.rows(on: surface, for: provider, in: partition.id, on: &database) {
        try end(row, ending, at: now, &account, on: &database)
      }
    case .wanted(let operation):
      try want(operation, from: provider, in: partition, at: now, &account, on: &database)
    case .ignored(let error): account.report.ignored.append(error)
    // Secrets and tokens are kept elsewhere.
    case .secret, .pushToken: break
    default:
      guard try values.remember(change, from: provider, in: partition, on: &database) else {
        return
      }
      account.report.note(change)
    }
  }

  /// Accepts what an answer asks for. Where there is no room for it the rest of the answer counts
  /// all the same.
  private mutating func want(
    _ operation: Operation, from provider: ProviderID, in partition: Partition, at now: Date,
    _ account: inout Account, on database: inout Database
  ) throws(EngagementError) {
    let load = try outbox.load(on: &database)
    guard load.rows - load.analyticsRows < options.limits.rows else {
      var error = EngagementError.fullOutbox
      error.provider = provider
      error.operation = operation.verb.text
      account.report.ignored.append(error)
      return
    }
    let parcel = Intent.Parcel(to: provider, .operation(operation), key: operationKey())
    try insert(parcel, in: partition, at: now, &account, on: &database)
    try makeRoom(in: partition, &account, on: &database)
  }

  private mutating func tellQuarantined(
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

extension CommitReport {
  /// Notes that something new is remembered.
  fileprivate mutating func note(_ change: Change) {
    switch change {
    case .person: hasNewPerson = true
    case .metrics: hasNewMetrics = true
    case .settings: hasNewSettings = true
    default: break
    }
  }

  /// What a commit that writes nothing has to tell.
  init(passingOver changes: [Change]) {
    for case .ignored(let error) in changes { ignored.append(error) }
  }
}

package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

extension Tables {
  /// Notes what has become of a push token's registration at a vendor, if the operation is about one.
  ///
  /// - Parameters:
  ///   - ending: How the operation ended; nil if it was accepted just now.
  ///   - wasTried: Whether its vendor may have got it, however it ended.
  mutating func note(
    _ operation: Operation, _ ending: Ending?, wasTried: Bool = false, at provider: ProviderID,
    of partition: Partition.ID, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    if case .registerPush(let environment) = operation, ending == .wiped || ending == .evicted {
      guard !wasTried else { return }
      return try pushStates.takeBack(
        environment, at: provider, of: partition, at: now.writable, on: &database)
    }
    guard let (environment, phase) = operation.push(ending) else { return }
    try pushStates.set(
      PushState(provider, environment, phase, changedAt: now.writable),
      phase == .pending ? options.pushToken(environment) : nil, of: partition, on: &database)
    guard phase == .registered || phase == .unregistered,
      options.adapters[provider]?.capabilities.hasOneUserPerToken == true
    else { return }
    try pushStates.endOthers(
      environment, at: provider, than: partition, at: now.writable, on: &database)
  }
}

/// What a vendor has of a user's push token.
package struct PushHolding: Hashable, Sendable {
  package let state: PushState
  /// The digest of the token that the vendor was told of last; nil if that is not known.
  package let token: [UInt8]?
}

extension Operation {
  /// The environment of the token and what is known of it now; nil if the operation says nothing of one.
  fileprivate func push(
    _ ending: Ending?
  ) -> (environment: PushEnvironment, phase: PushState.Phase)? {
    switch self {
    case .registerPush(let environment):
      (ending.map(PushState.Phase.init(ofRegistration:)) ?? .pending).map { (environment, $0) }
    case .unregisterPush(let environment):
      ending.flatMap(PushState.Phase.init(ofItsEnd:)).map { (environment, $0) }
    case .settings, .device, .pushContainers, .cards, .inbox, .message, .person, .associate,
      .updatePerson, .metrics, .campaigns, .act, .events, .templates, .upload, .optOut, .vendor:
      nil
    }
  }
}

extension PushState.Phase {
  /// Nil if the vendor was not told of the token.
  fileprivate init?(ofRegistration ending: Ending) {
    switch ending {
    case .delivered, .kept: self = .registered
    case .rejected(let error): self = .failed(error.code, reason: error.message)
    case .expired: self = Self.expired
    case .evicted, .wiped: return nil
    }
  }

  /// Nil if the vendor was not asked to give the token up.
  fileprivate init?(ofItsEnd ending: Ending) {
    switch ending {
    case .delivered, .kept: self = .unregistered
    case .rejected(let error): self = .failed(error.code, reason: error.message)
    case .expired: self = Self.expired
    case .evicted, .wiped: return nil
    }
  }

  private static let expired = Self.failed(
    .deadlineExceeded, reason: "The vendor could not be reached for too long.")
}

extension Store {
  /// Ends the registrations of the environment's token that wait for the vendor.
  package func withholdRegistrations(
    _ environment: PushEnvironment, at provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      var summary = TransactionSummary()
      var rows: [OutboxRow.ID] = []
      try tables.eachRow(of: partition, for: provider, on: &database) {
        (_, row, _) throws(EngagementError) in
        guard row.isSound(for: partition), let work = try? row.work(),
          case .operation(.registerPush(environment)) = work
        else { return }
        rows.append(row.id)
      }
      for row in rows { try tables.withhold(row, at: now, &summary, on: &database) }
      try tables.close(&summary, at: now, on: &database)
      return summary.report
    }
  }

  /// Notes that a vendor, or every one, has let go of the user's tokens. Registrations that wait stay.
  package func endRegistrations(
    at provider: ProviderID?, in partition: Partition, at now: Date
  ) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.pushStates.end(at: provider, of: partition.id, at: now.writable, on: &database)
    }
  }

  /// Ends rows that are not sent because no route leads to their vendor any more.
  package func withhold(
    _ rows: [OutboxRow.ID], at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      var summary = TransactionSummary()
      for row in rows { try tables.withhold(row, at: now, &summary, on: &database) }
      try tables.close(&summary, at: now, on: &database)
      return summary.report
    }
  }

  /// Whether each provider has the user's push tokens, by provider and environment.
  package func pushStates(of partition: Partition) throws(EngagementError) -> [PushState] {
    try pushHoldings(of: partition).map(\.state)
  }

  /// What each provider has of the user's push tokens, by provider and environment.
  package func pushHoldings(of partition: Partition) throws(EngagementError) -> [PushHolding] {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.pushStates.holdings(of: partition.id, on: &database)
    }
  }

  /// Whether the provider has, or may have, a push token of a user other than this one.
  package func hasPushTokens(
    at provider: ProviderID, ofOthersThan partition: Partition
  ) throws(EngagementError) -> Bool {
    try read { (tables, database) throws(EngagementError) in
      try tables.pushStates.hasOthers(at: provider, than: partition.id, on: &database)
    }
  }

  /// Notes that an operation about a push token ended well which was in no row.
  package func noteDone(
    _ operation: Operation, at provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) {
    guard operation.push(.delivered) != nil else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      try tables.note(
        operation, .delivered, at: provider, of: partition.id, at: now, on: &database)
    }
  }
}

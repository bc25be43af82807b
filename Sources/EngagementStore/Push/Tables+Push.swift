package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

extension Tables {
  /// Notes what has become of a push token's registration at a vendor, if the operation is about one.
  ///
  /// - Parameter ending: How the operation ended; nil if it was accepted just now.
  mutating func note(
    _ operation: Operation, _ ending: Ending?, at provider: ProviderID,
    of partition: Partition.ID, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    guard let (environment, phase) = operation.push(ending) else { return }
    try pushStates.set(
      PushState(provider, environment, phase, changedAt: now.writable), of: partition, on: &database
    )
  }
}

extension Operation {
  /// The environment of the token and what is known of it now; nil if the operation says nothing of one.
  fileprivate func push(
    _ ending: Ending?
  ) -> (environment: PushEnvironment, phase: PushState.Phase)? {
    switch (self, ending) {
    case (.registerPush(let environment), nil): (environment, .pending)
    case (.registerPush(let environment), .delivered), (.registerPush(let environment), .kept):
      (environment, .registered)
    case (.unregisterPush(let environment), .delivered), (.unregisterPush(let environment), .kept),
      (.registerPush(let environment), .wiped), (.registerPush(let environment), .evicted):
      (environment, .unregistered)
    case (.registerPush(let environment), .rejected(let error)),
      (.unregisterPush(let environment), .rejected(let error)):
      (environment, .failed(error.code, reason: error.message))
    case (.registerPush(let environment), .expired), (.unregisterPush(let environment), .expired):
      (
        environment,
        .failed(.deadlineExceeded, reason: "The vendor could not be reached for too long.")
      )
    default: nil
    }
  }
}

extension Store {
  /// Whether each provider has the user's push tokens, by provider and environment.
  package func pushStates(of partition: Partition) throws(EngagementError) -> [PushState] {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.pushStates.states(of: partition.id, on: &database)
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

import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

extension Store {
  /// The user's partition, made if there is none.
  package func partition(
    of user: User, at now: Date
  ) throws(EngagementError) -> Partition {
    let environment = options.environment
    let known = try read { (tables, database) throws(EngagementError) in
      try tables.partitions.partition(of: user, in: environment, on: &database)
    }
    if let known { return known }
    return try write { (tables, database) throws(EngagementError) in
      try tables.partition(of: user, at: now, on: &database)
    }
  }

  /// The last user of the application in this environment.
  package func presentUser() throws(EngagementError) -> User {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.presentUser(in: tables.options.environment, on: &database)
    }
  }

  /// Whether vendors are to be told again who is present, since the cache was damaged.
  package func isIntroductionDue() throws(EngagementError) -> Bool {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.isIntroductionDue(in: tables.options.environment, on: &database)
    }
  }

  /// Notes that what tells vendors who is present is accepted.
  package func noteIntroduced() throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.setIntroduction(
        isDue: false, in: tables.options.environment, on: &database)
    }
  }

  /// A number that grows when another process has written.
  package func writesByOthers() throws(EngagementError) -> Int {
    try read { (tables, _) throws(EngagementError) in tables.writesByOthers }
  }

  /// Records the present user. An anonymous one begins without counts of an earlier anonymous stay.
  package func setPresentUser(_ user: User) throws(EngagementError) {
    try user.requireName()
    guard try presentUser() != user else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.setPresentUser(
        user, in: tables.options.environment, at: options.now(), on: &database)
    }
  }

  /// The user's consent.
  package func consent(
    of partition: Partition
  ) throws(EngagementError) -> Consent {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database).consent
    }
  }

  /// Sets the user's consent; durable when it returns. Records the event, if there is one and the consent
  /// was another.
  package func setConsent(
    _ consent: Consent, of partition: Partition, recording event: EngagementEvent? = nil
  ) throws(EngagementError) {
    guard try self.consent(of: partition) != consent else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      try tables.partitions.setConsent(consent, of: partition, on: &database)
      if let event { _ = try tables.ledger.append(event, of: partition.id, on: &database) }
    }
  }

  /// Moves an anonymous user's pending rows for these providers, and their overlays, to the user
  /// who signed in. Rows up to `oldest` stay.
  package func adopt(
    _ anonymous: Partition, into partition: Partition, for providers: Set<ProviderID>,
    after oldest: OutboxRow.ID = 0
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.adopt(
        anonymous, into: partition, for: providers, after: oldest, at: options.now(),
        on: &database)
    }
  }

  /// The user's last pending row; 0 if there is none.
  package func lastPending(in partition: Partition) throws(EngagementError) -> OutboxRow.ID {
    try read { (tables, database) throws(EngagementError) in
      try tables.outbox.last(in: partition.id, on: &database)
    }
  }

  /// Deletes everything of the user and counts the rows as wiped. No reader finds it any more; its bytes
  /// leave the disk with `endErasure`.
  package func erase(
    _ partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.erase(partition, at: now, on: &database)
    }
  }

  /// Deletes everything of the user but the events, and counts the rows as wiped: without what vendors
  /// know the user by, they could reach somebody else. The user is not present any more, and has another
  /// partition from now on: what still comes for the former one is not kept.
  package func purge(
    _ partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.purge(partition, at: now, on: &database)
    }
  }

  /// The purges that have not ended, of one user or of all, and what may be left of each.
  package func unfinishedPurges(
    of user: User? = nil
  ) throws(EngagementError) -> [(partition: Partition, rest: PurgeRest)] {
    try read { (tables, database) throws(EngagementError) in
      var purges: [(partition: Partition, rest: PurgeRest)] = []
      for (id, rest) in try tables.partitions.unfinishedPurges(on: &database) {
        guard let found = try tables.partitions.find(id, on: &database) else { continue }
        if user == nil || found.partition.user == user { purges.append((found.partition, rest)) }
      }
      return purges
    }
  }

  /// Marks what may be left after a purge; nil if nothing is.
  package func notePurge(
    of partition: Partition, rest: PurgeRest?
  ) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      try tables.partitions.setPurgeRest(rest, of: partition.id, on: &database)
    }
  }

  /// Marks that an erasure begins. Returns whether an earlier one has not ended.
  package func beginErasure() throws(EngagementError) -> Bool {
    try ErasureMark(of: StoreFile(options.path)).set()
  }

  /// Ends all erasures, also of processes that were killed: when it returns, no byte that was erased is in
  /// the cache's files. Removes the damaged caches that were set aside, which may hold anybody's data;
  /// returns whether there were any.
  ///
  /// Throws `busy` if a reader in another process blocks the log; calling it again continues from there.
  package func endErasure() throws(EngagementError) -> Bool {
    let file = try StoreFile(options.path)
    let copies = DamagedFiles(of: file)
    let hadCopies = try copies.areThere
    try rewrite()
    try copies.removeAll()
    try ErasureMark(of: file).remove()
    return hadCopies
  }

  /// Drops a user who has left from memory; the file keeps everything.
  package func release(_ partition: Partition) { forget(partition.id) }

  /// Deletes the user's pending rows and counts them as wiped.
  package func wipeOutbox(
    of partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.wipe(partition, at: now, on: &database)
    }
  }

  /// Everything that the cache has of the user, as objects, each with the name of its `record`.
  package func held(
    for partition: Partition
  ) throws(EngagementError) -> [JSONObject] {
    try read { (tables, database) throws(EngagementError) in
      try tables.held(for: partition, on: &database)
    }
  }
}

extension Tables {
  /// The user's partition, which is made if it is missing.
  mutating func partition(
    of user: User, at now: Date, on database: inout Database
  ) throws(EngagementError) -> Partition {
    let environment = options.environment
    // Another process may have made it in the meantime.
    if let known = try partitions.partition(of: user, in: environment, on: &database) {
      return known
    }
    try partitions.insert(user, in: environment, at: now, on: &database)
    guard let new = try partitions.partition(of: user, in: environment, on: &database) else {
      throw EngagementError(.internalFailure, "A user that was added is not there")
    }
    return new
  }
}

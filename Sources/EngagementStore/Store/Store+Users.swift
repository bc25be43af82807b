import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

extension Store {
  /// The user's partition; made on first sight.
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

  /// Who used the application last, in this environment.
  package func presentUser() throws(EngagementError) -> User {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.presentUser(in: tables.options.environment, on: &database)
    }
  }

  /// Notes who uses the application now.
  package func setPresentUser(_ user: User) throws(EngagementError) {
    try user.requireName()
    guard try presentUser() != user else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.setPresentUser(
        user, in: tables.options.environment, on: &database)
    }
  }

  /// What the user allows.
  package func consent(
    of partition: Partition
  ) throws(EngagementError) -> Consent {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database).consent
    }
  }

  /// Notes what the user allows; durable when it returns.
  package func setConsent(
    _ consent: Consent, of partition: Partition
  ) throws(EngagementError) {
    guard try self.consent(of: partition) != consent else { return }
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      try tables.partitions.setConsent(consent, of: partition, on: &database)
    }
  }

  /// Gives what an anonymous user left to do for these providers to the one who signed in, with
  /// what that made visible.
  package func adopt(
    _ anonymous: Partition, into partition: Partition, for providers: Set<ProviderID>
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.adopt(
        anonymous, into: partition, for: providers, at: options.now(), on: &database)
    }
  }

  /// Takes away everything that is held for the user, and counts the rows as wiped. When this
  /// returns none of it is in any byte of the cache's files.
  ///
  /// Throws `busy` where a reader of another process holds the log up: what is held is gone for
  /// every reader then, but not from the disk, and erasing again goes on from there.
  package func erase(
    _ partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    let report = try write { (tables, database) throws(EngagementError) in
      try tables.erase(partition, at: now, on: &database)
    }
    try checkpoint()
    try DamagedFiles(of: StoreFile(options.path)).removeAll()
    return report
  }

  /// Drops what is held in memory of a user who has left; the cache has it all.
  package func release(_ partition: Partition) { forget(partition.id) }

  /// Drops what the user still has to send, and counts it as wiped.
  package func wipeOutbox(
    of partition: Partition, at now: Date
  ) throws(EngagementError) -> CommitReport {
    try write { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.wipe(partition, at: now, on: &database)
    }
  }

  /// Everything that is held for the user, one object at a time, each with its `kind`.
  package func held(
    for partition: Partition
  ) throws(EngagementError) -> [JSONObject] {
    try read { (tables, database) throws(EngagementError) in
      try tables.held(for: partition, on: &database)
    }
  }
}

extension Tables {
  fileprivate mutating func partition(
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

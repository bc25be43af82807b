package import EngagementModel
package import EngagementPlatform

extension Store {
  /// What becomes of a user's assignments, and of the exposures to their arms.
  package struct AssignmentUpdate: Sendable {
    /// The experiments to whose arm the user is exposed now.
    package var exposed: Set<String>
    /// Makes the event that the user has the arm, or else that the user is exposed to it; nil where the
    /// consent does not allow the event.
    package var event: @Sendable (Consent, ArmAssignment, _ isExposure: Bool) -> EngagementEvent?
    /// What the user's assignments shall be, given those that are kept. An assignment that is not among
    /// them stays.
    package var choose: @Sendable ([ArmAssignment]) -> [ArmAssignment]

    package init(
      exposed: Set<String> = [],
      event: @escaping @Sendable (Consent, ArmAssignment, _ isExposure: Bool) -> EngagementEvent?,
      choose: @escaping @Sendable ([ArmAssignment]) -> [ArmAssignment]
    ) {
      self.exposed = exposed
      self.event = event
      self.choose = choose
    }
  }

  /// The user's assignments, the newest version of each experiment first.
  package func assignments(of partition: Partition) throws(EngagementError) -> [ArmAssignment] {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.assignments.all(of: partition.id, on: &database)
    }
  }

  /// Chooses and records arms in one transaction, so that each is recorded once by all processes of the
  /// cache. Without consent nothing is kept. Returns the assignments as they are now.
  package func assign(
    _ update: AssignmentUpdate, in partition: Partition, at now: Date
  ) throws(EngagementError) -> [ArmAssignment] {
    let (known, isNews) = try read { (tables, database) throws(EngagementError) in
      try tables.news(in: update, of: partition, on: &database)
    }
    guard isNews else { return known }
    return try accept(in: partition) { (tables, database) throws(EngagementError) in
      try tables.update(update, in: partition, at: now, on: &database)
    }
  }
}

extension Tables {
  /// The assignments that are kept, and whether the update changes them or records anything.
  fileprivate mutating func news(
    in update: Store.AssignmentUpdate, of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> (known: [ArmAssignment], isNews: Bool) {
    let consent = try partitions.require(partition, on: &database).consent
    let known = try assignments.all(of: partition.id, on: &database)
    guard consent != .denied else { return (known, false) }
    let isNews = update.choose(known).contains { wanted in
      let next = wanted.following(known.first(where: wanted.isOfSameVersion))
      return !known.contains(next)
        || next.assignedAt == nil && update.event(consent, next, false) != nil
        || next.exposedAt == nil && update.exposed.contains(next.experiment)
          && update.event(consent, next, true) != nil
    }
    return (known, isNews)
  }

  @discardableResult mutating func update(
    _ update: Store.AssignmentUpdate, in partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> [ArmAssignment] {
    let consent = try partitions.require(partition, on: &database).consent
    let known = try assignments.all(of: partition.id, on: &database)
    guard consent != .denied else { return known }
    for wanted in update.choose(known) {
      let kept = known.first(where: wanted.isOfSameVersion)
      var new = wanted.following(kept)
      if new.assignedAt == nil, let event = update.event(consent, new, false) {
        _ = try ledger.append(event, of: partition.id, on: &database)
        new.assignedAt = now.writable
      }
      if new.exposedAt == nil, update.exposed.contains(new.experiment),
        let event = update.event(consent, new, true)
      {
        _ = try ledger.append(event, of: partition.id, on: &database)
        new.exposedAt = now.writable
      }
      if new != kept { try assignments.set(new, of: partition.id, on: &database) }
    }
    return try assignments.all(of: partition.id, on: &database)
  }
}

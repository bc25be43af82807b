package import EngagementModel
package import EngagementPlatform

extension Store {
  /// The user's assignments, the newest version of each experiment first.
  package func assignments(of partition: Partition) throws(EngagementError) -> [Assignment] {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.assignments.all(of: partition.id, on: &database)
    }
  }

  /// Makes the event that the user has the arm, or else that the user is exposed to it; nil where the
  /// consent does not allow the event.
  package typealias AssignmentRecorder =
    @Sendable (Consent, Assignment, _ isExposure: Bool) -> EngagementEvent?

  /// Chooses and records arms in one transaction, so that each is recorded once by all processes of the
  /// cache. Without consent nothing is kept. Returns the assignments as they are now.
  ///
  /// - Parameters:
  ///   - choose: What the user's assignments shall be, given those that are kept: those that change.
  ///   - exposed: The experiments to whose arm the user is exposed now.
  package func assign(
    in partition: Partition, at now: Date, exposing exposed: Set<String> = [],
    recording event: AssignmentRecorder, _ choose: @Sendable ([Assignment]) -> [Assignment]
  ) throws(EngagementError) -> [Assignment] {
    let isNews = try read { (tables, database) throws(EngagementError) in
      try tables.isNews(in: partition, exposing: exposed, recording: event, choose, on: &database)
    }
    guard isNews else { return try assignments(of: partition) }
    return try write { (tables, database) throws(EngagementError) in
      try tables.assign(
        in: partition, at: now, exposing: exposed, recording: event, choose, on: &database)
    }
  }
}

extension Tables {
  fileprivate mutating func isNews(
    in partition: Partition, exposing exposed: Set<String>,
    recording event: Store.AssignmentRecorder, _ choose: ([Assignment]) -> [Assignment],
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    let consent = try partitions.require(partition, on: &database).consent
    guard consent != .denied else { return false }
    let known = try assignments.all(of: partition.id, on: &database)
    return choose(known).contains { wanted in
      guard let kept = known.first(where: wanted.isSameExperiment), kept.arm == wanted.arm else {
        return true
      }
      return kept.assignedAt == nil && event(consent, kept, false) != nil
        || kept.exposedAt == nil && exposed.contains(kept.experiment)
          && event(consent, kept, true) != nil
    }
  }

  fileprivate mutating func assign(
    in partition: Partition, at now: Date, exposing exposed: Set<String>,
    recording event: Store.AssignmentRecorder, _ choose: ([Assignment]) -> [Assignment],
    on database: inout Database
  ) throws(EngagementError) -> [Assignment] {
    let consent = try partitions.require(partition, on: &database).consent
    let known = try assignments.all(of: partition.id, on: &database)
    guard consent != .denied else { return known }
    for wanted in choose(known) {
      let kept = known.first(where: wanted.isSameExperiment)
      var new = kept?.arm == wanted.arm ? kept ?? wanted : wanted
      if new.assignedAt == nil, let event = event(consent, new, false) {
        _ = try ledger.append(event, of: partition.id, on: &database)
        new.assignedAt = now.writable
      }
      if new.exposedAt == nil, exposed.contains(new.experiment),
        let event = event(consent, new, true)
      {
        _ = try ledger.append(event, of: partition.id, on: &database)
        new.exposedAt = now.writable
      }
      if new != kept { try assignments.set(new, of: partition.id, on: &database) }
    }
    return try assignments.all(of: partition.id, on: &database)
  }
}

extension Assignment {
  fileprivate func isSameExperiment(_ other: Assignment) -> Bool {
    experiment == other.experiment && version == other.version
  }
}

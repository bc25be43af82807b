package import EngagementAdapterAPI
package import EngagementModel

extension Store {
  /// The rows among these that are no longer pending, and the delivery counts now.
  ///
  /// Another process may have ended them. The reason of a rejected row is in the cache. How the others
  /// ended is told by the counts that grew since `former`: if several did, the row gets the ending
  /// that says least of the vendor.
  package func endings(
    of rows: [OperationKey: ProviderID], since former: [ProviderID: DeliveryCounts]
  ) throws(EngagementError) -> (ended: [CommitReport.Ended], counts: [ProviderID: DeliveryCounts]) {
    try read { (tables, database) throws(EngagementError) in
      let counts = try tables.deliveryCounts.all(on: &database)
      var ended: [CommitReport.Ended] = []
      for (key, provider) in rows where try !tables.outbox.has(key, on: &database) {
        let rejection = try tables.rejected.error(of: key, on: &database)
        let ending =
          rejection.map(Ending.rejected)
          ?? counts[provider]?.ending(since: former[provider] ?? DeliveryCounts())
        if let ending { ended.append(CommitReport.Ended(key, ending)) }
      }
      return (ended, counts)
    }
  }
}

extension Store {
  /// The users who have pending rows for the provider, in any environment, with their consent. Damaged
  /// rows are not among them.
  package func usersWaiting(
    for provider: ProviderID, limit: Int
  ) throws(EngagementError) -> [(partition: Partition, consent: Consent, rows: [OutboxRow])] {
    try read { (tables, database) throws(EngagementError) in
      var waiting: [(partition: Partition, consent: Consent, rows: [OutboxRow])] = []
      for partition in try tables.partitions.all(on: &database) {
        let rows = try tables.pending(for: provider, in: partition, limit: limit, on: &database)
          .sound
        guard !rows.isEmpty, let known = try tables.partitions.find(partition.id, on: &database)
        else { continue }
        waiting.append((partition, known.consent, rows))
      }
      return waiting
    }
  }
}

extension DeliveryCounts {
  fileprivate func ending(since former: DeliveryCounts) -> Ending? {
    if wiped > former.wiped { return .wiped }
    if evicted > former.evicted { return .evicted }
    if expired > former.expired { return .expired }
    if kept > former.kept { return .kept }
    return delivered > former.delivered ? .delivered : nil
  }
}

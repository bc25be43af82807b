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

extension DeliveryCounts {
  fileprivate func ending(since former: DeliveryCounts) -> Ending? {
    if wiped > former.wiped { return .wiped }
    if evicted > former.evicted { return .evicted }
    if expired > former.expired { return .expired }
    if kept > former.kept { return .kept }
    return delivered > former.delivered ? .delivered : nil
  }
}

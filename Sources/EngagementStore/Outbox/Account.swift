import EngagementAdapterAPI
import EngagementModel

/// What one transaction counts and has to tell, written down once at its end.
struct Account {
  var report = CommitReport()
  private(set) var counts: [Counter: Int64] = [:]
  /// Rows that did not arrive, alike ones together, in the order in which they were met.
  private(set) var drops: [(drop: Drop, count: Int)] = []

  struct Counter: Hashable {
    let provider: ProviderID
    let name: String
  }

  /// Rows that ended for one reason.
  struct Drop: Hashable {
    var partition: Partition.ID
    var provider: ProviderID?
    var ending: String
    var code: EngagementError.Code?
    var operation: Operation.Verb?
  }

  mutating func accepted(by provider: ProviderID, _ count: Int64 = 1) {
    counts[Counter(provider: provider, name: TallyTable.accepted), default: 0] += count
  }

  /// Counts a row's end, and reports it where its key can be told.
  mutating func ended(_ key: OperationKey?, of provider: ProviderID, _ ending: Ending) {
    counts[Counter(provider: provider, name: ending.name), default: 0] += 1
    if let key { report.ended.append(CommitReport.Ended(key, ending)) }
  }

  mutating func dropped(_ drop: Drop) {
    // Few kinds of failure meet in one transaction, however many rows do.
    if let index = drops.firstIndex(where: { $0.drop == drop }) {
      drops[index].count += 1
    } else {
      drops.append((drop, 1))
    }
  }
}

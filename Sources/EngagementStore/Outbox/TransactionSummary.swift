import EngagementAdapterAPI
import EngagementModel

/// The counts and the report of one transaction, written once at its end.
struct TransactionSummary {
  var report = CommitReport()
  private(set) var counts: [Counter: Int64] = [:]
  /// Rows that did not arrive, grouped by reason, in the order in which they were found.
  private(set) var drops: [(drop: Drop, count: Int)] = []
  /// The places in that list.
  private var places: [Drop: Int] = [:]
  /// The lists of cards that a vendor has changed.
  var updatedFeeds: [Feed] = []
  /// Rows that waited for the vendor's answer to be evaluated against its campaigns.
  var answered: [StoredRow] = []

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
    /// The item of an action that the vendor refused.
    var item: ItemReference?
  }

  mutating func accepted(by provider: ProviderID, _ count: Int64 = 1) {
    counts[Counter(provider: provider, name: DeliveryCountTable.accepted), default: 0] += count
  }

  /// Counts a row's end, and reports it if its key can be read.
  mutating func ended(_ key: OperationKey?, of provider: ProviderID, _ ending: Ending) {
    counts[Counter(provider: provider, name: ending.name), default: 0] += 1
    if let key { report.ended.append(CommitReport.Ended(key, ending)) }
  }

  mutating func dropped(_ drop: Drop) {
    if let index = places[drop] {
      drops[index].count += 1
    } else {
      places[drop] = drops.count
      drops.append((drop, 1))
    }
  }
}

import EngagementModel

/// How many rows were accepted, and how the others ended. The counts of `EvictionCountTable` stand in the
/// same table.
struct DeliveryCountTable: ~Copyable {
  private var addition = Statement(
    """
    INSERT INTO tally (provider, name, count) VALUES (?, ?, ?)
    ON CONFLICT (provider, name) DO UPDATE SET count = count + excluded.count
    """)
  private var selection = Statement("SELECT provider, name, count FROM tally WHERE provider <> ''")
  private var pending = Statement("SELECT provider, count(*) FROM outbox GROUP BY provider")

  static let accepted = "accepted"
  static let lost = "lost"
  /// Every name, as a damaged file may have any.
  static let names: Set<String> = [
    accepted, lost, "delivered", "kept", "rejected", "expired", "evicted", "wiped",
  ]

  /// Adds what a transaction has counted.
  mutating func add(
    _ counts: [TransactionSummary.Counter: Int64], on database: inout Database
  ) throws(EngagementError) {
    for (counter, count) in counts {
      try database.run(
        &addition, .text(counter.provider.rawValue), .text(counter.name), .integer(count))
    }
  }

  mutating func all(
    on database: inout Database
  ) throws(EngagementError) -> [ProviderID: DeliveryCounts] {
    let counts = try database.all(&selection) {
      (ProviderID($0.text(0)), $0.text(1), $0.integer(2))
    }
    let waiting = try database.all(&pending) { (ProviderID($0.text(0)), $0.integer(1)) }
    var deliveryCounts: [ProviderID: DeliveryCounts] = [:]
    for (provider, name, count) in counts {
      deliveryCounts[provider, default: DeliveryCounts()].add(count, to: name)
    }
    for (provider, count) in waiting {
      deliveryCounts[provider, default: DeliveryCounts()].pending = count
    }
    return deliveryCounts
  }
}

extension DeliveryCounts {
  fileprivate mutating func add(_ count: Int64, to name: String) {
    switch name {
    case DeliveryCountTable.accepted: accepted += count
    case Ending.delivered.name: delivered += count
    case Ending.kept.name: kept += count
    case "rejected": rejected += count
    case Ending.expired.name: expired += count
    case Ending.evicted.name: evicted += count
    case Ending.wiped.name: wiped += count
    case DeliveryCountTable.lost: lost += count
    // A newer release counts something that this one does not know.
    default: break
    }
  }
}

import EngagementModel

/// How many events the ledger has evicted. The counts stand beside those of deliveries, under a
/// name that no provider can have.
struct EvictionCountTable: ~Copyable {
  private var addition = Statement(
    """
    INSERT INTO tally (provider, name, count) VALUES ('', ?, ?)
    ON CONFLICT (provider, name) DO UPDATE SET count = count + excluded.count
    """)
  private var selection = Statement("SELECT name, count FROM tally WHERE provider = ''")

  private static let byAge = "evicted by age"
  private static let bySize = "evicted by size"

  mutating func add(
    _ evicted: EvictedEvents, on database: inout Database
  ) throws(EngagementError) {
    for (name, count) in [(Self.byAge, evicted.byAge), (Self.bySize, evicted.bySize)]
    where count > 0 {
      try database.run(&addition, .text(name), .integer(count))
    }
  }

  mutating func all(on database: inout Database) throws(EngagementError) -> EvictedEvents {
    let counts = try database.all(&selection) { (name: $0.text(0), count: $0.integer(1)) }
    func count(_ name: String) -> Int64 { counts.first { $0.name == name }?.count ?? 0 }
    return EvictedEvents(byAge: count(Self.byAge), bySize: count(Self.bySize))
  }
}

import EngagementModel
import EngagementPlatform

/// The items that could not be read, without their bytes. Each bad body of a feed has one row, so
/// that it is reported once.
struct QuarantineTable: ~Copyable {
  /// How many rows are kept of a partition.
  static let limit = 1_000

  private var insertion = Statement(
    """
    INSERT INTO quarantine (feed, hash, place, reason, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (feed, hash) DO NOTHING
    """)
  private var selection = Statement(
    "SELECT place, reason, at FROM quarantine WHERE feed = ? ORDER BY id")
  private var hashes = Statement("SELECT id, hash FROM quarantine WHERE feed = ?")
  private var deletion = Statement("DELETE FROM quarantine WHERE id = ?")
  private var byUser = Statement(
    """
    SELECT provider, surface, name, place, reason FROM quarantine
    JOIN feed ON feed.id = quarantine.feed JOIN source ON source.id = feed.source
    WHERE partition = ? ORDER BY quarantine.id
    """)
  private var providers = Statement(
    """
    SELECT DISTINCT provider FROM quarantine
    JOIN feed ON feed.id = quarantine.feed JOIN source ON source.id = feed.source
    WHERE partition = ? AND surface <> 'campaigns'
    """)
  private var prune = Statement(
    """
    DELETE FROM quarantine WHERE id IN (
      SELECT quarantine.id FROM quarantine
      JOIN feed ON feed.id = quarantine.feed JOIN source ON source.id = feed.source
      WHERE source.partition = ? ORDER BY quarantine.id DESC LIMIT -1 OFFSET ?)
    """)

  /// The providers of which a card or a message could not be read.
  mutating func providers(
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ProviderID] {
    try database.all(&providers, .integer(partition)) { ProviderID($0.text(0)) }
  }

  /// Adds a bad item; false if it is there already.
  mutating func add(
    _ hash: UInt64, at place: Int, of feed: Int64, _ reason: String, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.run(
      &insertion, .integer(feed), .integer(Int64(bitPattern: hash)), .integer(place),
      .text(reason), .integer(Milliseconds.nearest(now)))
    return database.changes > 0
  }

  /// A row as it is in the file.
  struct Found {
    let place: Int
    let reason: String
    let at: Date

    init(_ row: borrowing Row) {
      place = Int(clamping: row.integer(0))
      reason = row.text(1)
      at = Milliseconds.date(row.integer(2)).writable
    }
  }

  /// The body's results for all bad items of a feed, in the order in which they came.
  mutating func all<Value>(
    of feed: Int64, on database: inout Database, read: (Found) -> Value
  ) throws(EngagementError) -> [Value] {
    try database.all(&selection, .integer(feed)) { read(Found($0)) }
  }

  /// Deletes the bad items of a feed except these.
  mutating func keep(
    _ kept: Set<UInt64>, of feed: Int64, on database: inout Database
  ) throws(EngagementError) {
    let rows = try database.all(&hashes, .integer(feed)) {
      (id: $0.integer(0), hash: UInt64(bitPattern: $0.integer(1)))
    }
    for row in rows where !kept.contains(row.hash) {
      try database.run(&deletion, .integer(row.id))
    }
  }

  /// The bad items of a user, in the order in which they came.
  mutating func all(
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [CommitReport.Quarantined] {
    try database.all(&byUser, .integer(partition)) { row in
      FeedName(row.text(2)).feed(on: Surface(row.text(1))).map {
        CommitReport.Quarantined(
          FeedKey(ProviderID(row.text(0)), $0), index: Int(clamping: row.integer(3)),
          reason: row.text(4))
      }
    }.compactMap(\.self)
  }

  /// Deletes all but the newest rows of the partition.
  mutating func prune(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&prune, .integer(partition), .integer(Self.limit))
  }
}

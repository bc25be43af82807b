import EngagementModel
import EngagementPlatform

/// The rows of sources and of their feeds.
struct FeedTable: ~Copyable {
  private var sourceSearch = Statement(
    "SELECT id FROM source WHERE partition=? AND provider=? AND surface=?")
  private var sourceInsertion = Statement(
    "INSERT INTO source (partition, provider, surface) VALUES (?, ?, ?) RETURNING id")
  private var sourcesOfPartition = Statement(
    "SELECT id, provider, surface FROM source WHERE partition=? ORDER BY id")
  private var sourceDeletion = Statement("DELETE FROM source WHERE id=?")
  private var selection = Statement("SELECT id, name, total, refreshed FROM feed WHERE source=?")
  private var insertion = Statement("INSERT INTO feed (source, name) VALUES (?, ?) RETURNING id")
  private var update = Statement("UPDATE feed SET total=?, refreshed=? WHERE id=?")
  private var deletion = Statement("DELETE FROM feed WHERE source=?")
  private var names = Statement(
    """
    SELECT provider, surface, name FROM feed JOIN source ON source.id = feed.source
    WHERE partition=? ORDER BY provider, surface, name
    """)

  /// A row as it is in the file.
  struct Found {
    let row: Int64
    let name: FeedName
    let total: Int?
    let refreshed: Date?

    init(_ row: borrowing Row) {
      self.row = row.integer(0)
      name = FeedName(row.text(1))
      total = row.isNull(2) ? nil : Int(row.integer(2))
      refreshed = row.isNull(3) ? nil : Milliseconds.date(row.integer(3))
    }
  }

  mutating func source(
    _ key: ItemSourceKey, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    try database.first(
      &sourceSearch, .integer(key.partition), .text(key.provider.rawValue),
      .text(key.surface.rawValue)
    ) { $0.integer(0) }
  }

  mutating func insertSource(
    _ key: ItemSourceKey, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    try Self.inserted(
      try database.first(
        &sourceInsertion, .integer(key.partition), .text(key.provider.rawValue),
        .text(key.surface.rawValue)
      ) { $0.integer(0) })
  }

  mutating func sources(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [(row: Int64, provider: ProviderID, surface: Surface)] {
    try database.all(&sourcesOfPartition, .integer(partition)) { row in
      (row.integer(0), ProviderID(row.text(1)), Surface(row.text(2)))
    }
  }

  /// Deletes a source with its feeds and the rows that refer to them.
  mutating func deleteSource(
    _ source: Int64, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&deletion, .integer(source))
    try database.run(&sourceDeletion, .integer(source))
  }

  mutating func feeds(
    of source: Int64, on database: inout Database
  ) throws(EngagementError) -> [Found] {
    try database.all(&selection, .integer(source)) { Found($0) }
  }

  mutating func insert(
    _ name: FeedName, of source: Int64, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    try Self.inserted(
      try database.first(&insertion, .integer(source), .text(name.rawValue)) { $0.integer(0) })
  }

  mutating func update(
    _ feed: Int64, total: Int?, refreshed: Date?, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &update, total.map(SQLValue.integer) ?? .null,
      refreshed.map { .integer(Milliseconds.nearest($0)) } ?? .null, .integer(feed))
  }

  /// The names of all feeds of a partition.
  mutating func names(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [(provider: ProviderID, surface: Surface, name: FeedName)] {
    try database.all(&names, .integer(partition)) { row in
      (ProviderID(row.text(0)), Surface(row.text(1)), FeedName(row.text(2)))
    }
  }

  private static func inserted(_ row: Int64?) throws(EngagementError) -> Int64 {
    guard let row else {
      throw EngagementError(.internalFailure, "The cache gave no id to a new row")
    }
    return row
  }
}

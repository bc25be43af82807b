import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The contents that something was done to and that no vendor lists any more.
struct UnlistedContentTable: ~Copyable {
  private var selection = Statement(
    "SELECT key, since, awaited FROM unlisted_content WHERE partition = ? ORDER BY key")
  private var upsert = Statement(
    """
    INSERT INTO unlisted_content (partition, key, since, awaited) VALUES (?, ?, ?, ?)
    ON CONFLICT (partition, key) DO UPDATE SET since = excluded.since, awaited = excluded.awaited
    """)
  private var deletion = Statement("DELETE FROM unlisted_content WHERE partition = ? AND key = ?")
  private var erasing = Statement("DELETE FROM unlisted_content WHERE partition = ?")

  /// All of a user.
  ///
  /// - Parameter keyed: The providers that have content keys. Where a row is damaged, all are awaited.
  mutating func all(
    of partition: Partition.ID, among keyed: Set<ProviderID>, on database: inout Database
  ) throws(EngagementError) -> [ContentKey: UnlistedContent] {
    let rows = try rows(of: partition, on: &database)
    return Dictionary(
      rows.compactMap { row in
        guard let key = ContentKey(bytes: row.key) else { return nil }
        return (key, UnlistedContent(since: row.since, awaited: row.awaited ?? keyed))
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// All of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try rows(of: partition, on: &database).map { row in
      ObjectEncoder([
        "record": "unlistedContent", "key": Hex.text(of: row.key), "since": row.since,
        "awaited": row.awaited?.map(\.rawValue).sorted(),
      ]).object
    }
  }

  private mutating func rows(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [(key: [UInt8], since: Date, awaited: Set<ProviderID>?)] {
    try database.all(&selection, .integer(partition)) { row in
      let names = (try? JSON(parsing: Array(row.text(2).utf8)))?.array?.map(\.string)
      let awaited = names.flatMap { $0.contains(nil) ? nil : $0.compactMap(\.self) }
      return (
        row.bytes(0), Milliseconds.date(row.integer(1)),
        awaited.map { Set($0.map { ProviderID($0) }) }
      )
    }
  }

  /// Writes since when the content is not listed; nil if it is listed, or nothing is kept of it.
  mutating func set(
    _ content: UnlistedContent?, of key: ContentKey, in partition: Partition.ID,
    on database: inout Database
  ) throws(EngagementError) {
    guard let content else {
      return try database.run(&deletion, .integer(partition), .blob(key.bytes))
    }
    let names = JSON.array(content.awaited.map(\.rawValue).sorted().map(JSON.string))
    try database.run(
      &upsert, .integer(partition), .blob(key.bytes),
      .integer(Milliseconds.nearest(content.since)),
      .text(String(decoding: names.encoded(), as: UTF8.self)))
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

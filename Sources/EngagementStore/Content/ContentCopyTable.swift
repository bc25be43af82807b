import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The items with a content key. Items with the same key of one user are copies of one content.
struct ContentCopyTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT provider, surface, name, key, since
    FROM content_copy JOIN item ON item.id = content_copy.item
    JOIN source ON source.id = content_copy.source
    WHERE content_copy.partition = ? ORDER BY content_copy.item
    """)
  private var erasing = Statement("DELETE FROM content_copy WHERE partition = ?")
  private var upsert = Statement(
    """
    INSERT INTO content_copy (item, partition, source, key, since) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (item) DO UPDATE SET key = excluded.key, since = excluded.since
    """)
  private var deletion = Statement("DELETE FROM content_copy WHERE item = ?")
  private var ofSource = Statement("SELECT item, key FROM content_copy WHERE item BETWEEN ? AND ?")
  private var clearance = Statement("DELETE FROM content_copy WHERE item BETWEEN ? AND ?")
  private var ofKey = Statement(
    """
    SELECT item, provider, surface FROM content_copy
    JOIN source ON source.id = content_copy.source
    WHERE content_copy.partition = ? AND key = ? ORDER BY item
    """)
  private var one = Statement(
    "SELECT 1 FROM content_copy WHERE partition = ? AND key = ? LIMIT 1")
  private var ofList = Statement(
    """
    SELECT DISTINCT key FROM content_copy JOIN source ON source.id = content_copy.source
    WHERE content_copy.partition = ? AND provider = ? AND surface = ?
    """)

  /// All copies of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "contentCopy", "provider": row.text(0), "surface": row.text(1),
        "id": row.text(2), "key": Hex.text(of: row.bytes(3)),
        "since": Milliseconds.date(row.integer(4)),
      ]).object
    }
  }

  /// Writes which content an item is a copy of; nil for none.
  mutating func set(
    _ key: ContentKey?, of item: Int64, in source: Int64, of partition: Partition.ID,
    at now: Date, on database: inout Database
  ) throws(EngagementError) {
    guard let key else { return try database.run(&deletion, .integer(item)) }
    try database.run(&upsert) { values in
      values.append(item)
      values.append(partition)
      values.append(source)
      values.append(blob: key.bytes)
      values.append(Milliseconds.nearest(now))
    }
  }

  /// The contents that the items of a source are copies of.
  mutating func keys(
    of source: Int64, on database: inout Database
  ) throws(EngagementError) -> [Int64: ContentKey] {
    let rows = ItemTable.rows(of: source)
    let found = try database.all(&ofSource, .integer(rows.lowerBound), .integer(rows.upperBound)) {
      (item: $0.integer(0), key: ContentKey(bytes: $0.bytes(1)))
    }
    var keys: [Int64: ContentKey] = [:]
    keys.reserveCapacity(found.count)
    for case (let item, let key?) in found { keys[item] = key }
    return keys
  }

  /// One item that is a copy of a content.
  struct Copy {
    let item: Int64
    let provider: ProviderID
    let surface: Surface

    func isOf(_ source: ItemSourceKey) -> Bool {
      provider == source.provider && surface == source.surface
    }
  }

  /// All copies of a content that the user's vendors list.
  mutating func copies(
    of key: ContentKey, in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [Copy] {
    try database.all(&ofKey, .integer(partition), .blob(key.bytes)) { row in
      Copy(
        item: row.integer(0), provider: ProviderID(row.text(1)), surface: Surface(row.text(2)))
    }
  }

  /// The contents that a provider lists on a surface.
  mutating func keys(
    listedBy provider: ProviderID, on surface: Surface, in partition: Partition.ID,
    on database: inout Database
  ) throws(EngagementError) -> Set<ContentKey> {
    let found = try database.all(
      &ofList, .integer(partition), .text(provider.rawValue), .text(surface.rawValue)
    ) { ContentKey(bytes: $0.bytes(0)) }
    return Set(found.compactMap(\.self))
  }

  /// Whether any vendor lists a copy of the content.
  mutating func lists(
    _ key: ContentKey, in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(&one, .integer(partition), .blob(key.bytes)) { _ in true } ?? false
  }

  /// Deletes all copies among the items of a source.
  mutating func clear(_ source: Int64, on database: inout Database) throws(EngagementError) {
    let rows = ItemTable.rows(of: source)
    try database.run(&clearance, .integer(rows.lowerBound), .integer(rows.upperBound))
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

import EngagementFormats
import EngagementModel

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

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

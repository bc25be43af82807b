import EngagementFormats
import EngagementModel

/// What was done to the copies of contents, one row for each copy that something was done to.
struct ContentMarkTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT marks, snoozed, ends, provider, surface, name, key
    FROM content_mark LEFT JOIN source ON source.id = content_mark.source
    WHERE content_mark.partition = ? ORDER BY key, source, name
    """)
  private var erasing = Statement("DELETE FROM content_mark WHERE partition = ?")

  /// All marks of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      let overlay = Overlay(
        bits: row.integer(0), snoozedUntil: row.integerIfAny(1).map { Milliseconds.date($0) },
        endsAt: row.integerIfAny(2).map { Milliseconds.date($0) })
      return ObjectEncoder([
        "record": "contentMark", "provider": row.text(3), "surface": row.text(4),
        "id": row.text(5), "key": Hex.text(of: row.bytes(6)),
        "marks": overlay.marks.map(\.rawValue).sorted(), "snoozedUntil": overlay.snoozedUntil,
        "endsAt": overlay.endsAt,
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

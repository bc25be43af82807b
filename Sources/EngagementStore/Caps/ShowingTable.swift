import EngagementFormats
import EngagementModel

/// What users were shown on each counted day, and what was held back from them.
struct ShowingTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT surface, key, day, shown, held, session, in_session FROM showing
    WHERE partition = ? ORDER BY surface, key, day
    """)
  private var erasing = Statement("DELETE FROM showing WHERE partition = ?")

  /// All showings of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "showing", "surface": row.text(0), "key": Hex.text(of: row.bytes(1)),
        "day": row.integer(2), "shown": row.integer(3), "held": row.integer(4),
        "session": row.isNull(5) ? nil : row.text(5), "inSession": row.integer(6),
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

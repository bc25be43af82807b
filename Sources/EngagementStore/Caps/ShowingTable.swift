import EngagementFormats
import EngagementModel

/// What users were shown on each counted day. Day 0 has what was shown on earlier days together.
struct ShowingTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT surface, key, day, shown, held, session, in_session FROM showing
    WHERE partition = ? ORDER BY surface, key, day
    """)
  private var ofSurface = Statement(
    """
    SELECT key, day, shown, session, in_session FROM showing WHERE partition = ? AND surface = ?
    """)
  private var addition = Statement(
    """
    INSERT INTO showing (partition, surface, key, day, shown, held, session, in_session)
    VALUES (?, ?, ?, ?, 1, 0, ?, 1)
    ON CONFLICT (partition, surface, key, day) DO UPDATE SET
      shown = shown + 1,
      in_session = CASE WHEN session IS excluded.session THEN in_session + 1 ELSE 1 END,
      session = excluded.session
    """)
  // A session may have begun yesterday.
  private var folding = Statement(
    """
    INSERT INTO showing (partition, surface, key, day, shown, held, session, in_session)
    SELECT partition, surface, key, 0, sum(shown), sum(held), NULL, 0 FROM showing
    WHERE partition = ?1 AND surface = ?2 AND key = ?3 AND day > 0 AND day < ?4 - 1
    GROUP BY partition, surface, key
    ON CONFLICT (partition, surface, key, day) DO UPDATE SET
      shown = shown + excluded.shown, held = held + excluded.held
    """)
  private var folded = Statement(
    """
    DELETE FROM showing
    WHERE partition = ?1 AND surface = ?2 AND key = ?3 AND day > 0 AND day < ?4 - 1
    """)
  private var moving = Statement(
    """
    INSERT INTO showing (partition, surface, key, day, shown, held, session, in_session)
    SELECT ?1, surface, key, day, shown, held, session, in_session FROM showing
    WHERE partition = ?2
    ON CONFLICT (partition, surface, key, day) DO UPDATE SET
      shown = shown + excluded.shown, held = held + excluded.held,
      in_session = CASE WHEN session IS excluded.session THEN in_session + excluded.in_session
        ELSE excluded.in_session END,
      session = excluded.session
    """)
  private var erasing = Statement("DELETE FROM showing WHERE partition = ?")

  // MARK: Counting

  mutating func add(
    _ showing: CountedShowing, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    let values: [SQLValue] = [
      .integer(partition), .text(showing.surface.rawValue), .blob(showing.key.bytes),
      .integer(showing.day),
    ]
    try database.run(&folding, values[0], values[1], values[2], values[3])
    try database.run(&folded, values[0], values[1], values[2], values[3])
    let session = showing.session.map { SQLValue.text($0.rawValue) } ?? .null
    try database.run(&addition, values[0], values[1], values[2], values[3], session)
  }

  /// How often the user was shown something on the surface.
  mutating func counts(
    of partition: Partition.ID, on surface: Surface, day today: Int64, in session: SessionID?,
    in database: inout Database
  ) throws(EngagementError) -> ShowingCounts {
    let rows = try database.all(&ofSurface, .integer(partition), .text(surface.rawValue)) { row in
      (
        key: ContentKey(bytes: row.bytes(0)), day: row.integer(1), shown: Int(row.integer(2)),
        session: row.isNull(3) ? nil : row.text(3), inSession: Int(row.integer(4))
      )
    }
    var counts = ShowingCounts()
    for row in rows {
      if let session, row.session == session.rawValue { counts.inSession += row.inSession }
      if row.day == today { counts.today += row.shown }
      guard let key = row.key else { continue }
      counts.contents[key, default: 0] += row.shown
      if row.day == today { counts.contentsToday[key, default: 0] += row.shown }
    }
    return counts
  }

  /// Gives a user's showings to another partition, beside those that it has.
  mutating func move(
    from former: Partition.ID, to new: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&moving, .integer(new), .integer(former))
    try database.run(&erasing, .integer(former))
  }

  // MARK: Users

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

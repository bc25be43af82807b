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
  private var selection = Statement(
    """
    SELECT key, source, surface, name, marks, snoozed, ends FROM content_mark
    JOIN source ON source.id = content_mark.source WHERE content_mark.partition = ?
    """)
  private var unlisted = Statement(
    """
    SELECT DISTINCT key FROM content_mark WHERE partition = ?1 AND NOT EXISTS
      (SELECT 1 FROM content_copy WHERE partition = ?1 AND content_copy.key = content_mark.key)
    """)
  private var upsert = Statement(
    """
    INSERT INTO content_mark (partition, key, source, name, marks, snoozed, ends)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (partition, key, source, name)
    DO UPDATE SET marks = excluded.marks, snoozed = excluded.snoozed, ends = excluded.ends
    """)
  private var deletion = Statement(
    "DELETE FROM content_mark WHERE partition = ? AND key = ? AND source = ? AND name = ?")
  private var ending = Statement("DELETE FROM content_mark WHERE partition = ? AND key = ?")

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

  /// All marks of a user.
  mutating func all(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> ContentMarks {
    let rows = try database.all(&selection, .integer(partition)) { row in
      (
        key: ContentKey(bytes: row.bytes(0)),
        copy: ContentMarks.Copy(
          source: row.integer(1), surface: Surface(row.text(2)), name: ItemKey(row.text(3))),
        overlay: Overlay(
          bits: row.integer(4), snoozedUntil: row.integerIfAny(5).map { Milliseconds.date($0) },
          endsAt: row.integerIfAny(6).map { Milliseconds.date($0) })
      )
    }
    var marks = ContentMarks()
    for case (let key?, let copy, let overlay) in rows { marks.set(overlay, of: copy, for: key) }
    return marks
  }

  /// The contents with marks of which no copy is listed.
  mutating func unlisted(
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ContentKey] {
    try database.all(&unlisted, .integer(partition)) { ContentKey(bytes: $0.bytes(0)) }
      .compactMap(\.self)
  }

  /// Writes what was done to one copy, or deletes its row if that is nothing.
  mutating func set(
    _ overlay: Overlay, of copy: ContentMarks.Copy, for key: ContentKey,
    in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    guard !overlay.isEmpty else {
      return try database.run(
        &deletion, .integer(partition), .blob(key.bytes), .integer(copy.source),
        .blob(copy.name.bytes))
    }
    try database.run(
      &upsert, .integer(partition), .blob(key.bytes), .integer(copy.source),
      .blob(copy.name.bytes), .integer(overlay.bits), SQLValue(overlay.snoozedUntil),
      SQLValue(overlay.endsAt))
  }

  /// Deletes all marks of a content.
  mutating func end(
    _ key: ContentKey, in partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&ending, .integer(partition), .blob(key.bytes))
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

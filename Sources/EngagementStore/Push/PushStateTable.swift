import EngagementFormats
import EngagementModel

/// Whether each provider has the user's token for pushes in each environment of the vendor.
struct PushStateTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT provider, environment, state, code, reason, token, changed FROM push_state
    WHERE partition = ? ORDER BY provider, environment
    """)
  private var erasing = Statement("DELETE FROM push_state WHERE partition = ?")

  /// All states of a user as objects, with the digests of the tokens.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "pushState", "provider": row.text(0), "environment": row.text(1),
        "state": row.text(2), "code": row.isNull(3) ? nil : row.text(3),
        "reason": row.isNull(4) ? nil : row.text(4),
        "token": row.isNull(5) ? nil : Hex.text(of: row.bytes(5)),
        "changedAt": Milliseconds.date(row.integer(6)),
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

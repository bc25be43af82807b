import EngagementModel

/// The rows of the outbox whose occurrences count only after the vendor's answer.
struct CampaignWaitTable: ~Copyable {
  private var selection = Statement("SELECT row FROM campaign_wait")
  private var insertion = Statement("INSERT OR IGNORE INTO campaign_wait (row) VALUES (?)")
  private var deletion = Statement("DELETE FROM campaign_wait WHERE row = ?")

  private var known: Set<OutboxRow.ID>?

  mutating func forgetMemory() { known = nil }

  mutating func insert(
    _ row: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) {
    _ = try has(row, on: &database)
    try database.run(&insertion, .integer(row))
    known?.insert(row)
  }

  mutating func has(
    _ row: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) -> Bool {
    if let known { return known.contains(row) }
    let rows = Set(try database.all(&selection) { $0.integer(0) })
    known = rows
    return rows.contains(row)
  }

  /// Returns whether the row was waiting.
  mutating func remove(
    _ row: OutboxRow.ID, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard try has(row, on: &database) else { return false }
    try database.run(&deletion, .integer(row))
    known?.remove(row)
    return true
  }
}

extension Schema {
  /// By which clocks an event was recorded, and which items were delivered to whom.
  ///
  /// - Both clocks are null in rows of earlier schemas. `uptime` is what the application's steady
  ///   clock said.
  /// - `delivered` has no row for an item that came with an earlier schema. It stands beside the
  ///   items, which vendors take back and send again. Its item is a hash, so that ten thousand rows
  ///   cost as little as their numbers.
  static let ledger = """
    ALTER TABLE ledger ADD COLUMN recorded INTEGER;
    ALTER TABLE ledger ADD COLUMN uptime INTEGER;
    CREATE TABLE delivered (
      partition INTEGER NOT NULL,
      item INTEGER NOT NULL,
      PRIMARY KEY (partition, item)
    ) STRICT, WITHOUT ROWID;
    """

  /// What SQLite adds for it to the text of `ledger`.
  static let ledgerColumns = ", recorded INTEGER, uptime INTEGER"
}

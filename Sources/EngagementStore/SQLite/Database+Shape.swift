import EngagementModel

extension Database {
  /// The tables and indexes that a file has, and how many steps of the schema it says to have seen.
  struct Shape: Equatable {
    let schema: Int64
    /// A hash over the kinds, names and texts, in the order of their names.
    let hash: UInt64
    /// Whether two of them begin on the same page, which no table does.
    let isEntangled: Bool
  }

  /// The shape as SQLite reads it. SQLite accepts any text that it can read as a table.
  mutating func shape() throws(EngagementError) -> Shape {
    // One transaction: between two another process might take a step.
    try connection.execute("BEGIN")
    defer { rollBack() }
    var checksum = RowChecksum(reservingCapacity: 8_192)
    var roots: Set<Int64> = []
    var count = 0
    var parts = Statement(
      "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema ORDER BY type, name")
    _ = try all(&parts) { row in
      for column in 0..<4 { checksum.add(row.isNull(column) ? nil : row.bytes(column)) }
      roots.insert(row.integer(4))
      count += 1
    }
    return Shape(schema: try schema, hash: checksum.value, isEntangled: roots.count < count)
  }
}

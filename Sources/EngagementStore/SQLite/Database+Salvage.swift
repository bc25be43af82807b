import EngagementModel

extension Database {
  /// The readable rows of a table.
  struct Salvaged<Value> {
    /// The values by the ids of their rows.
    var values: [Int64: Value] = [:]
    /// Whether the table was read from its first row to its last.
    var isComplete = false

    /// The values in the order of their ids.
    var inOrder: [Value] { values.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Reads the rows of a table whose key is `id`, the first of the columns, until SQLite finds
  /// damage; then from the other end. The body returns nil for a damaged row.
  mutating func salvage<Value>(
    _ columns: String, from table: String, read: (borrowing Row) -> Value?
  ) -> Salvaged<Value> {
    var found = Salvaged<Value>()
    let order = "SELECT \(columns) FROM \(table) ORDER BY id"
    if walk(order, into: &found, isNext: >, read) {
      found.isComplete = true
    } else {
      _ = walk("\(order) DESC", into: &found, isNext: <, read)
    }
    return found
  }

  /// Returns whether all rows were read. Ids that change direction mean that pages point to each
  /// other; such a walk would never end.
  private mutating func walk<Value>(
    _ sql: String, into found: inout Salvaged<Value>, isNext: (Int64, Int64) -> Bool,
    _ read: (borrowing Row) -> Value?
  ) -> Bool {
    var (last, isSound): (Int64?, Bool) = (nil, true)
    var statement = Statement(sql)
    do throws(EngagementError) {
      _ = try all(&statement) { (row) throws(EngagementError) in
        let id = row.integer(0)
        if let last, !isNext(id, last) { throw .damagedCache }
        last = id
        if let value = read(row) { found.values[id] = value } else { isSound = false }
      }
      return isSound
    } catch {
      return false
    }
  }
}

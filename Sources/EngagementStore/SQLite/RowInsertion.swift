import EngagementModel

/// Inserts rows into a table, many of them by one statement.
///
/// A statement for one row costs twice as much for each: it opens the table and its indexes, looks
/// for the row's place from their roots, and writes the counter of AUTOINCREMENT.
struct RowInsertion: ~Copyable {
  /// How many rows the longer statement inserts. With more, preparing it costs what they save.
  static let size = 20

  private var several: Statement
  private var single: Statement

  /// All rows have the same values in the shared columns. `conflict` says what becomes of a row that
  /// is there already; without it, such a row is an error.
  init(into table: String, shared: [String] = [], own: [String], conflict: String = "") {
    let columns = (shared + own).joined(separator: ", ")
    let values = shared.indices.map { "?\($0 + 1)" } + own.map { _ in "?" }
    let row = "(\(values.joined(separator: ", ")))"
    let rows = repeatElement(row, count: Self.size).joined(separator: ", ")
    several = Statement("INSERT INTO \(table) (\(columns)) VALUES \(rows)")
    single = Statement("INSERT INTO \(table) (\(columns)) VALUES \(row) \(conflict)")
  }

  /// Inserts so many rows in their order and returns whether each was new. `own` appends the values
  /// of the row of that index, and gets the number of new rows before it.
  @discardableResult
  mutating func run(
    _ count: Int, on database: inout Database, shared: (inout Bindings) -> Void,
    own: (_ index: Int, _ newBefore: Int, inout Bindings) -> Void
  ) throws(EngagementError) -> [Bool] {
    var isNew: [Bool] = []
    isNew.reserveCapacity(count)
    var newBefore = 0
    while isNew.count < count {
      let rows = isNew.count..<min(isNew.count + Self.size, count)
      if rows.count == Self.size,
        try insert(rows, after: newBefore, on: &database, shared: shared, own: own)
      {
        newBefore += rows.count
        isNew += repeatElement(true, count: rows.count)
        continue
      }
      for row in rows {
        try database.run(&single) { values in
          shared(&values)
          own(row, newBefore, &values)
        }
        let wasInserted = database.changes != 0
        isNew.append(wasInserted)
        if wasInserted { newBefore += 1 }
      }
    }
    return isNew
  }

  /// Inserts all rows; inserts none and returns false if one of them is there already.
  private mutating func insert(
    _ rows: Range<Int>, after newBefore: Int, on database: inout Database,
    shared: (inout Bindings) -> Void,
    own: (_ index: Int, _ newBefore: Int, inout Bindings) -> Void
  ) throws(EngagementError) -> Bool {
    do throws(EngagementError) {
      try database.run(&several) { values in
        shared(&values)
        for row in rows { own(row, newBefore + row - rows.lowerBound, &values) }
      }
      return true
    } catch {
      guard error.breaksConstraint else { throw error }
      return false
    }
  }
}

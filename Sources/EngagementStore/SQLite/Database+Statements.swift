import CSQLite
import EngagementModel

extension Database {
  /// Runs a statement to its end.
  mutating func run(
    _ statement: inout Statement, _ values: SQLValue...
  ) throws(EngagementError) {
    try perform(&statement, values) { (_) throws(EngagementError) in true }
  }

  /// Runs a statement to its end with the values that the body appends.
  mutating func run(
    _ statement: inout Statement, binding body: (inout Bindings) -> Void
  ) throws(EngagementError) {
    bindings.removeAll()
    body(&bindings)
    try perform(&statement) { (_) throws(EngagementError) in true }
  }

  /// Runs a statement that is needed once.
  mutating func run(_ sql: String, _ values: SQLValue...) throws(EngagementError) {
    var statement = Statement(sql)
    try perform(&statement, values) { (_) throws(EngagementError) in true }
  }

  /// The body's result for the first row; nil without a row.
  mutating func first<Value>(
    _ statement: inout Statement, _ values: SQLValue...,
    read: (borrowing Row) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value? {
    try firstRow(&statement, values, read: read)
  }

  /// As above, for a statement that is needed once.
  mutating func first<Value>(
    _ sql: String, _ values: SQLValue...,
    read: (borrowing Row) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value? {
    var statement = Statement(sql)
    return try firstRow(&statement, values, read: read)
  }

  /// The body's results for all rows, in order.
  mutating func all<Value>(
    _ statement: inout Statement, _ values: SQLValue...,
    read: (borrowing Row) throws(EngagementError) -> Value
  ) throws(EngagementError) -> [Value] {
    var results: [Value] = []
    try perform(&statement, values) { (row) throws(EngagementError) in
      results.append(try read(row))
      return true
    }
    return results
  }

  /// Runs the body with each row, in order.
  mutating func each(
    _ sql: String, _ values: [SQLValue], _ body: (borrowing Row) throws(EngagementError) -> Void
  ) throws(EngagementError) {
    var statement = Statement(sql)
    try perform(&statement, values) { (row) throws(EngagementError) in
      try body(row)
      return true
    }
  }

  /// Runs the body with each row, in order, until it returns false.
  mutating func each(
    _ statement: inout Statement, while body: (borrowing Row) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    bindings.removeAll()
    try perform(&statement, body)
  }

  private mutating func firstRow<Value>(
    _ statement: inout Statement, _ values: [SQLValue],
    read: (borrowing Row) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value? {
    var result: Value?
    try perform(&statement, values) { (row) throws(EngagementError) in
      result = try read(row)
      return false
    }
    return result
  }

  private mutating func perform(
    _ statement: inout Statement, _ values: [SQLValue],
    _ body: (borrowing Row) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    bindings.removeAll()
    for value in values { bindings.append(value) }
    try perform(&statement, body)
  }

  /// Binds, steps while the body asks for more, and resets the statement, also after an error.
  private mutating func perform(
    _ statement: inout Statement, _ body: (borrowing Row) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    do throws(EngagementError) {
      let handle = try unsafe statement.ready(on: connection)
      try unsafe refuseMisuse(of: handle)
      try unsafe Self.perform(handle, bindings, body)
    } catch {
      if connection.failedOnDisk { isSuspect = true }
      throw error
    }
  }

  private static func perform(
    _ statement: OpaquePointer, _ bindings: Bindings,
    _ body: (borrowing Row) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    var failure: EngagementError?
    let code = unsafe bindings.bind(to: statement) {
      // While the values are still at their addresses: SQLite must not keep a dangling one.
      defer { unsafe forget(statement) }
      while true {
        let code = unsafe sqlite3_step(statement)
        guard code == SQLITE_ROW else { return code }
        do throws(EngagementError) {
          guard try body(unsafe Row(of: statement)) else { return SQLITE_DONE }
        } catch {
          failure = error
          return SQLITE_DONE
        }
      }
    }
    if let failure { throw failure }
    if code != SQLITE_DONE { unsafe forget(statement) }
    try ResultCode.check(code)
  }

  private static func forget(_ statement: OpaquePointer) {
    unsafe sqlite3_reset(statement)
    unsafe sqlite3_clear_bindings(statement)
  }

  private func refuseMisuse(of statement: OpaquePointer) throws(EngagementError) {
    guard unsafe bindings.count == sqlite3_bind_parameter_count(statement) else {
      throw ResultCode(SQLITE_RANGE).error
    }
    // A full disk may end a transaction behind its owner's back; what follows must not be written
    // row by row.
    guard !isInTransaction || !connection.isIdle else {
      throw ResultCode(SQLITE_ABORT).error
    }
    guard unsafe isInTransaction || sqlite3_stmt_readonly(statement) != 0 else {
      throw EngagementError(.internalFailure, "The cache is written to outside a transaction")
    }
  }
}

import CSQLite
import EngagementModel

/// One statement of SQL, prepared when it is first run and kept for the next time.
///
/// It belongs to no connection until then, and is prepared again when the connection was replaced.
@safe struct Statement: ~Copyable {
  let sql: String
  private var prepared: OpaquePointer?

  init(_ sql: String) {
    self.sql = sql
    unsafe prepared = nil
  }

  deinit { unsafe sqlite3_finalize(prepared) }

  /// The statement as this connection knows it.
  mutating func ready(on connection: borrowing Connection) throws(EngagementError) -> OpaquePointer
  {
    // A closed connection lives on until its last statement ends, so no new one has its address.
    if let prepared = unsafe prepared, unsafe sqlite3_db_handle(prepared) == connection.handle {
      return unsafe prepared
    }
    unsafe sqlite3_finalize(prepared)
    unsafe prepared = nil
    unsafe prepared = try connection.prepare(sql)
    guard let prepared = unsafe prepared else { throw ResultCode(SQLITE_MISUSE).error }
    return unsafe prepared
  }
}

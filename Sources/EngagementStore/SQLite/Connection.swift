import CSQLite
import EngagementModel

/// The owner of one handle of SQLite.
@safe struct Connection: ~Copyable {
  let handle: OpaquePointer

  /// Opens an existing file. Runs no SQL, so it writes nothing.
  init(path: String, writable: Bool, busyFor wait: Duration) throws(EngagementError) {
    // Without SQLite's own mutex: only the owner uses the connection.
    let flags = SQLITE_OPEN_NOMUTEX | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      let extended = unsafe handle == nil ? code : sqlite3_extended_errcode(handle)
      unsafe sqlite3_close_v2(handle)
      throw ResultCode(extended).error
    }
    unsafe self.handle = unsafe handle
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe sqlite3_busy_timeout(handle, Int32(clamping: wait.milliseconds))
  }

  /// Closes the handle, or leaves that to the last statement that was prepared on it.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Whether statements run outside a transaction.
  var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  /// Whether the file cannot be written, although writing was asked for.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") != 0 }

  /// Whether the last failure came from the disk.
  var failedOnDisk: Bool {
    unsafe ResultCode(sqlite3_extended_errcode(handle)).kind == SQLITE_IOERR
  }

  /// Whether the path now leads to another file, or to none.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// How many rows the last statement changed.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// Runs SQL of our own, one statement after the other.
  func execute(_ script: String) throws(EngagementError) {
    try unsafe ResultCode.check(sqlite3_exec(handle, script, nil, nil, nil))
  }

  /// The first column of the first row; `nil` without a row.
  func integer(_ sql: String) throws(EngagementError) -> Int64? {
    try text(sql).map { Int64($0) ?? 0 }
  }

  /// As above, as text.
  func text(_ sql: String) throws(EngagementError) -> String? {
    let statement = try unsafe prepare(sql)
    defer { unsafe sqlite3_finalize(statement) }
    let code = unsafe sqlite3_step(statement)
    try ResultCode.check(code)
    guard code == SQLITE_ROW, let statement = unsafe statement else { return nil }
    return unsafe Row(of: statement).text(0)
  }

  func prepare(_ sql: String) throws(EngagementError) -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, Int32(clamping: sql.utf8.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement,
      nil)
    try ResultCode.check(code)
    return unsafe statement
  }

  /// Turns a switch of the connection on or off, and holds SQLite to it.
  func set(_ name: Int32, _ isOn: Bool) throws(EngagementError) {
    var now: Int32 = -1
    try unsafe ResultCode.check(csqlite_switch(handle, name, isOn ? 1 : 0, &now))
    guard (now != 0) == isOn else { throw ResultCode(SQLITE_ERROR).error }
  }
}

extension Duration {
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : whole + attoseconds / 1_000_000_000_000_000
  }
}

/// The library that keeps the cache, as it is at run time.
package enum StoreLibrary {
  /// Such as `3.40.1`.
  package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}

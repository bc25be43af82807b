import CSQLite

/// The current row of a statement, valid while it is read. Columns count from 0.
///
/// A column of another type is converted as SQLite does; a missing column is NULL.
@safe struct Row: ~Copyable {
  private let statement: OpaquePointer

  init(of statement: OpaquePointer) { unsafe self.statement = statement }

  /// The same row.
  func copy() -> Row { unsafe Row(of: statement) }

  func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(statement, Int32(clamping: column)) == SQLITE_NULL
  }

  func integer(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(statement, Int32(clamping: column))
  }

  func real(_ column: Int) -> Double {
    unsafe sqlite3_column_double(statement, Int32(clamping: column))
  }

  /// The text; empty if the column is NULL. Bytes that are not UTF-8 become U+FFFD.
  func text(_ column: Int) -> String {
    unsafe String(decoding: buffer(column), as: UTF8.self)
  }

  /// The bytes of a blob or of a text; none if the column is NULL.
  func bytes(_ column: Int) -> [UInt8] { unsafe Array(buffer(column)) }

  /// The bytes of a blob or of a text where SQLite has them, for as long as the body runs.
  func withBytes<Value>(
    _ column: Int, _ body: (RawSpan) throws -> Value
  ) rethrows -> Value {
    try body(unsafe RawSpan(_unsafeBytes: buffer(column)))
  }

  /// Runs the body with the bytes of a blob or of a text, where SQLite has them; with nil if the column is
  /// NULL. One look-up, where `isNull` and `withBytes` are three.
  @inline(__always)
  func withBytesIfAny<Value>(
    _ column: Int, _ body: (RawSpan?) throws -> Value
  ) rethrows -> Value {
    // The value is not locked against other threads: a connection has one at a time.
    let value = unsafe sqlite3_column_value(statement, Int32(clamping: column))
    guard unsafe sqlite3_value_type(value) != SQLITE_NULL else { return try body(nil) }
    let start = unsafe sqlite3_value_blob(value)
    let bytes = unsafe UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    return try body(unsafe RawSpan(_unsafeBytes: bytes))
  }

  /// Nil if the column is NULL.
  @inline(__always)
  func integerIfAny(_ column: Int) -> Int64? {
    let value = unsafe sqlite3_column_value(statement, Int32(clamping: column))
    guard unsafe sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    return unsafe sqlite3_value_int64(value)
  }

  // Texts are asked for as blobs: the bytes are the same, and SQLite need not make room for a
  // closing zero, so that nothing here can fail for want of memory.
  private func buffer(_ column: Int) -> UnsafeRawBufferPointer {
    let column = Int32(clamping: column)
    let start = unsafe sqlite3_column_blob(statement, column)
    return unsafe UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
  }
}

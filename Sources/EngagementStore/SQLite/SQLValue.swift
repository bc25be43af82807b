import CSQLite

/// What is bound to a parameter of a statement.
///
/// Text and blobs are read by SQLite where they lie; nothing is copied before it writes them.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Text that is already in UTF-8, such as a slice of a body.
  case utf8(ArraySlice<UInt8>)
  case blob(ArraySlice<UInt8>)
}

extension SQLValue {
  static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  static func blob(_ bytes: [UInt8]) -> SQLValue { .blob(bytes[...]) }
}

extension SQLValue {
  /// Binds the values from one position on and runs the body while their bytes stay where they
  /// are: each value that lies in memory opens one more scope around the rest.
  static func bind(
    _ values: [SQLValue], from index: Int = 0, to statement: OpaquePointer, then body: () -> Int32
  ) -> Int32 {
    guard index < values.count else { return body() }
    let position = Int32(truncatingIfNeeded: index + 1)
    func rest(_ code: Int32) -> Int32 {
      guard code == SQLITE_OK else { return code }
      return unsafe bind(values, from: index + 1, to: statement, then: body)
    }
    switch values[index] {
    case .null: return unsafe rest(sqlite3_bind_null(statement, position))
    case .integer(let value): return unsafe rest(sqlite3_bind_int64(statement, position, value))
    case .real(let value): return unsafe rest(sqlite3_bind_double(statement, position, value))
    case .text(var text):
      return text.withUTF8 { buffer in
        let bytes = UnsafeRawBufferPointer(buffer)
        return unsafe rest(bindText(bytes, to: statement, at: position))
      }
    case .utf8(let bytes):
      return unsafe bytes.withUnsafeBytes { unsafe rest(bindText($0, to: statement, at: position)) }
    case .blob(let bytes):
      return unsafe bytes.withUnsafeBytes { unsafe rest(bindBlob($0, to: statement, at: position)) }
    }
  }

  private static func bindText(
    _ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at position: Int32
  ) -> Int32 {
    // An empty buffer may have no address, which SQLite takes for NULL.
    guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
      return unsafe sqlite3_bind_text(statement, position, "", 0, csqlite_transient())
    }
    return unsafe sqlite3_bind_text64(
      statement, position, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
      csqlite_static(), UInt8(SQLITE_UTF8))
  }

  private static func bindBlob(
    _ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at position: Int32
  ) -> Int32 {
    // As above.
    guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
      return unsafe sqlite3_bind_zeroblob(statement, position, 0)
    }
    return unsafe sqlite3_bind_blob64(
      statement, position, start, UInt64(bytes.count), csqlite_static())
  }
}

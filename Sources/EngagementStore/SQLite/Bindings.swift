import CSQLite
import EngagementPlatform

/// The values of a statement's parameters, in their order.
///
/// The bytes of all texts and blobs lie one after the other in one buffer, where SQLite reads them.
/// Binding thousands of rows allocates nothing, since the memory is kept from one to the next.
struct Bindings {
  private enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(count: Int)
    case blob(count: Int)
  }

  /// A longer buffer, such as for a file, is not kept.
  private static let keptCapacity = 1 << 16

  private var values: [Value] = []
  private var bytes: [UInt8] = []

  var count: Int { values.count }

  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
  }

  mutating func append(_ number: Int64) { values.append(.integer(number)) }

  mutating func append(_ number: Double) { values.append(.real(number)) }

  mutating func append(_ text: String?) {
    guard let text else { return values.append(.null) }
    append(text)
  }

  mutating func append(_ text: String) {
    values.append(.text(count: append(bytesOf: text)))
  }

  /// A blob of the text's bytes in UTF-8.
  mutating func append(blob text: String?) {
    guard let text else { return values.append(.null) }
    values.append(.blob(count: append(bytesOf: text)))
  }

  private mutating func append(bytesOf text: String) -> Int {
    // As a view of UTF-8 it would be copied byte by byte.
    var text = text
    return text.withUTF8 {
      unsafe bytes.append(contentsOf: $0)
      return $0.count
    }
  }

  /// Text that is already in UTF-8, such as a slice of a body.
  mutating func append(utf8 text: (some Collection<UInt8>)?) {
    guard let text else { return values.append(.null) }
    values.append(.text(count: text.count))
    bytes.append(contentsOf: text)
  }

  mutating func append(blob: (some Collection<UInt8>)?) {
    guard let blob else { return values.append(.null) }
    values.append(.blob(count: blob.count))
    bytes.append(contentsOf: blob)
  }

  /// A blob of the 16 bytes.
  mutating func append(_ id: UUID) {
    values.append(.blob(count: 16))
    unsafe withUnsafeBytes(of: id.uuid) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: SQLValue) {
    switch value {
    case .null: values.append(.null)
    case .integer(let number): append(number)
    case .real(let number): append(number)
    case .text(let text): append(text)
    case .utf8(let text): append(utf8: text)
    case .blob(let blob): append(blob: blob)
    }
  }
}

extension Bindings {
  /// Binds the values and runs the body while their bytes stay where they are.
  func bind(to statement: OpaquePointer, then body: () -> Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      for (index, value) in values.enumerated() {
        let position = Int32(truncatingIfNeeded: index + 1)
        let code: Int32
        switch value {
        case .null: code = unsafe sqlite3_bind_null(statement, position)
        case .integer(let number): code = unsafe sqlite3_bind_int64(statement, position, number)
        case .real(let number): code = unsafe sqlite3_bind_double(statement, position, number)
        case .text(let count):
          code = unsafe Self.bindText(rest.prefix(count), to: statement, at: position)
          unsafe rest.removeFirst(count)
        case .blob(let count):
          code = unsafe Self.bindBlob(rest.prefix(count), to: statement, at: position)
          unsafe rest.removeFirst(count)
        }
        guard code == SQLITE_OK else { return code }
      }
      return body()
    }
  }

  private static func bindText(
    _ bytes: Slice<UnsafeRawBufferPointer>, to statement: OpaquePointer, at position: Int32
  ) -> Int32 {
    // An empty buffer may have no address, which SQLite takes for NULL.
    guard let start = unsafe UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
      unsafe !bytes.isEmpty
    else { return unsafe sqlite3_bind_text(statement, position, "", 0, csqlite_transient()) }
    return unsafe sqlite3_bind_text64(
      statement, position, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
      csqlite_static(), UInt8(SQLITE_UTF8))
  }

  private static func bindBlob(
    _ bytes: Slice<UnsafeRawBufferPointer>, to statement: OpaquePointer, at position: Int32
  ) -> Int32 {
    // As above.
    guard let start = unsafe UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
      unsafe !bytes.isEmpty
    else { return unsafe sqlite3_bind_zeroblob(statement, position, 0) }
    return unsafe sqlite3_bind_blob64(
      statement, position, start, UInt64(bytes.count), csqlite_static())
  }
}

/// What is bound to a parameter of a statement.
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

public import EngagementModel

extension JSON {
  /// Reads a whole document.
  public init(parsing bytes: [UInt8]) throws(JSONFault) { try self.init(parsing: bytes[...]) }

  /// Reads a whole document. A structural fault is thrown before any other.
  public init(parsing bytes: ArraySlice<UInt8>) throws(JSONFault) {
    var cursor = JSONCursor(bytes)
    self = try cursor.only { cursor throws(JSONFault) in try cursor.json() }
  }

  /// The value as JSON: members in their order, numbers as short as they can be read back, no
  /// white space. Numbers that JSON cannot say (not a number, infinity) become `null`.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 128)
    writer.value(self)
    return writer.bytes
  }
}

public import EngagementModel

extension JSON {
  /// Reads a whole document.
  public init(parsing bytes: [UInt8]) throws(JSONFault) { try self.init(parsing: bytes[...]) }

  /// Reads a whole document. If it has several faults, a structural fault is thrown before any
  /// other.
  public init(parsing bytes: ArraySlice<UInt8>) throws(JSONFault) {
    var cursor = JSONCursor(bytes)
    self = try cursor.only { cursor throws(JSONFault) in try cursor.json() }
  }

  /// The value as JSON bytes: members in their order, numbers in the shortest form that reads back
  /// equal, no white space. NaN and infinity become `null`, because JSON has no text for them.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 128)
    writer.value(self)
    return writer.bytes
  }
}

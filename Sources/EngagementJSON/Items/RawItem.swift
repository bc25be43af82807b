import EngagementModel

/// One value of a vendor's list as the vendor's own bytes, before an adapter maps it.
public struct RawItem: Sendable {
  /// The value's position in the list.
  public var index: Int
  /// The value's bytes, without surrounding white space. They share the document's memory.
  public var bytes: ArraySlice<UInt8>
  /// The `ContentHash` of the bytes.
  public var hash: UInt64
  /// The fault in the value; nil if the value is sound.
  public var fault: JSONFault?
  /// The item's id, once an adapter has set it.
  public var id: String?

  /// Checks bytes that are one value. `fault` holds any fault, structural or not.
  public init(index: Int, bytes: ArraySlice<UInt8>) {
    var cursor = JSONCursor(bytes)
    do throws(JSONFault) {
      self = try cursor.item(at: index)
      try cursor.finish()
    } catch {
      self.init(index: index, uncheckedBytes: bytes)
      fault = error
    }
  }

  /// Takes bytes that were checked before, such as bytes from a database, without checking them
  /// again. If the bytes are not sound, the values read from the item are meaningless, but reading
  /// them stays memory-safe.
  public init(index: Int, uncheckedBytes bytes: ArraySlice<UInt8>, hash: UInt64? = nil) {
    self.index = index
    self.bytes = bytes
    self.hash = hash ?? ContentHash.of(bytes)
  }
}

extension RawItem: Hashable {
  /// Whether both are the same item. Ids are compared by their bytes.
  public static func == (left: RawItem, right: RawItem) -> Bool {
    left.index == right.index && left.hash == right.hash && left.fault == right.fault
      && left.bytes == right.bytes && left.hasSameID(as: right)
  }

  private func hasSameID(as other: RawItem) -> Bool {
    guard let id, let theirs = other.id else { return id == nil && other.id == nil }
    return id.hasSameBytes(as: theirs)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(hash)
  }
}

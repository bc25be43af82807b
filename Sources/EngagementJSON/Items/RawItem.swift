import EngagementModel

/// One value of a vendor's list, as the vendor's own bytes: an item that nobody has mapped yet.
public struct RawItem: Sendable {
  /// Its place in the list.
  public var index: Int
  /// The value's bytes, without white space around them. They share the document's memory.
  public var bytes: ArraySlice<UInt8>
  /// The `ContentHash` of the bytes.
  public var hash: UInt64
  /// What is wrong with the value; nil where it is sound.
  public var fault: JSONFault?
  /// The item's id, where an adapter has set it.
  public var id: String?

  /// Checks one value that stands alone. A fault, structural or not, is kept in `fault`.
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

  /// Takes bytes that were checked before, such as those a database kept, and trusts the caller.
  /// With bytes that are not sound, what is read from the item has no meaning; it is still safe.
  public init(index: Int, uncheckedBytes bytes: ArraySlice<UInt8>, hash: UInt64? = nil) {
    self.index = index
    self.bytes = bytes
    self.hash = hash ?? ContentHash.of(bytes)
  }
}

extension RawItem: Hashable {
  /// Whether both are the same item; ids are compared by their bytes.
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

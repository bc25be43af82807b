import EngagementJSON
import EngagementModel

/// The checksum of an item's bytes, which holds only in the item's own row.
///
/// It mixes the hash of the body with the owner and the name. It tells changed bodies from
/// unchanged ones. A flipped bit in body, name or checksum, or a body in another row, does not
/// verify. It is no defence against an attacker who can write to the cache.
struct ItemChecksum: Sendable {
  private let owner: UInt64

  init(_ partition: Partition, _ provider: ProviderID, _ surface: Surface) {
    // As JSON no two lists of names give the same bytes.
    var writer = JSONWriter()
    writer.beginArray()
    writer.value(partition.environment)
    if let user = partition.user.id { writer.value(user.rawValue) } else { writer.null() }
    writer.value(provider.rawValue)
    writer.value(surface.rawValue)
    writer.endArray()
    owner = ContentHash.of(writer.bytes[...])
  }

  /// The checksum of a body with that hash under that name.
  func checksum(_ hash: UInt64, of name: [UInt8]) -> Int64 {
    Int64(bitPattern: hash ^ salt(name))
  }

  /// The hash of the body; nil if body, name or checksum has changed.
  func verified(_ body: [UInt8], of name: [UInt8], by seal: Int64) -> UInt64? {
    verified(ContentHash.of(body[...]), of: name, by: seal)
  }

  /// The hash, unless the checksum is of another under that name.
  func verified(_ hash: UInt64, of name: [UInt8], by seal: Int64) -> UInt64? {
    self.hash(in: seal, of: name) == hash ? hash : nil
  }

  /// The hash of the body that the checksum was made of.
  func hash(in seal: Int64, of name: [UInt8]) -> UInt64 {
    UInt64(bitPattern: seal) ^ salt(name)
  }

  // The factor is odd, so that no two sums give the same salt; the golden ratio spreads their bits.
  private func salt(_ name: [UInt8]) -> UInt64 {
    (ContentHash.of(name[...]) ^ owner) &* 0x9e37_79b9_7f4a_7c15
  }
}

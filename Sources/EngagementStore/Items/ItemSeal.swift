import EngagementJSON
import EngagementModel

/// Ties an item's bytes to the one place where they may stand.
///
/// A seal is the hash of the body, mixed with whose it is and what it is called. It tells changed
/// bodies from unchanged ones, and a flipped bit in body, name or seal, or a body in another's
/// row, does not verify. It is no defence against somebody who may write to the cache.
struct ItemSeal: Sendable {
  private let owner: UInt64

  init(_ partition: Partition, _ provider: ProviderID, _ surface: Surface) {
    // As JSON no two lists of names give the same bytes.
    var writer = JSONWriter()
    writer.beginArray()
    writer.value(partition.environment)
    if let user = partition.user.id { writer.value(user.text) } else { writer.null() }
    writer.value(provider.text)
    writer.value(surface.text)
    writer.endArray()
    owner = ContentHash.of(writer.bytes[...])
  }

  /// The seal of a body with that hash under that name.
  func seal(_ hash: UInt64, of name: [UInt8]) -> Int64 {
    Int64(bitPattern: hash ^ salt(name))
  }

  /// The hash of the body; nil where body, name or seal is not what it was.
  func verified(_ body: [UInt8], of name: [UInt8], by seal: Int64) -> UInt64? {
    verified(ContentHash.of(body[...]), of: name, by: seal)
  }

  /// The hash, unless another was sealed under that name.
  func verified(_ hash: UInt64, of name: [UInt8], by seal: Int64) -> UInt64? {
    self.hash(in: seal, of: name) == hash ? hash : nil
  }

  /// The hash of the body that was sealed under that name.
  func hash(in seal: Int64, of name: [UInt8]) -> UInt64 {
    UInt64(bitPattern: seal) ^ salt(name)
  }

  // The factor is odd, so that no two sums give the same salt; the golden ratio spreads their bits.
  private func salt(_ name: [UInt8]) -> UInt64 {
    (ContentHash.of(name[...]) ^ owner) &* 0x9e37_79b9_7f4a_7c15
  }
}

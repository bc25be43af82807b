import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Which items have been delivered to which users, also those that are no longer there.
struct DeliveredTable: ~Copyable {
  private var insertion = Statement(
    "INSERT INTO delivered (partition, item) VALUES (?, ?) ON CONFLICT DO NOTHING")
  private var erasing = Statement("DELETE FROM delivered WHERE partition = ?")
  private var moving = Statement("UPDATE delivered SET partition = ? WHERE partition = ?")

  /// The items that are delivered to the user for the first time, in their order.
  mutating func insert(
    _ items: [ItemReference], to partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ItemReference] {
    let hashes = Self.hashes(of: items)
    var isNew = Array(repeating: false, count: items.count)
    // In the order of the table, so that neighbours are written one after the other.
    for index in items.indices.sorted(by: { hashes[$0] < hashes[$1] }) {
      try database.run(&insertion, .integer(partition), .integer(hashes[index]))
      isNew[index] = database.changes != 0
    }
    return items.indices.filter { isNew[$0] }.map { items[$0] }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }

  mutating func move(
    from former: Partition.ID, to new: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&moving, .integer(new), .integer(former))
  }

  /// The hashes of provider, surface and id.
  private static func hashes(of items: [ItemReference]) -> [Int64] {
    var salts: [ItemSourceName: UInt64] = [:]
    return items.map { item in
      let source = ItemSourceName(provider: item.id.provider, surface: item.surface)
      let salt = salts[source] ?? source.salt
      salts[source] = salt
      let name = ContentHash.of(Array(item.id.value.utf8)[...])
      // The factor is odd, so that no two sums give the same hash; the golden ratio spreads their bits.
      let hash = (name ^ salt) &* 0x9e37_79b9_7f4a_7c15
      return Int64(bitPattern: hash)
    }
  }
}

private struct ItemSourceName: Hashable {
  let provider: ProviderID
  let surface: Surface

  /// As JSON no two pairs of names give the same bytes.
  var salt: UInt64 {
    var writer = JSONWriter()
    writer.value([provider.rawValue, surface.rawValue])
    return ContentHash.of(writer.bytes[...])
  }
}

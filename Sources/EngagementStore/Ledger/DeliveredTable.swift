import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Which items have been delivered to which users, also those that are no longer there.
struct DeliveredTable: ~Copyable {
  private var insertion = RowInsertion(
    into: "delivered", shared: ["partition"], own: ["item"], conflict: "ON CONFLICT DO NOTHING")
  private var erasing = Statement("DELETE FROM delivered WHERE partition = ?")
  private var moving = Statement("UPDATE delivered SET partition = ? WHERE partition = ?")

  /// The items that are delivered to the user for the first time, in their order.
  mutating func insert(
    _ items: AddedItems, to partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> AddedItems {
    // In the order of the table, so that neighbours are written one after the other.
    let rows = Self.hashes(of: items).enumerated().sorted { $0.element < $1.element }
    let written = try insertion.run(
      rows.count, on: &database, shared: { $0.append(partition) },
      own: { (index, _, values) in values.append(rows[index].element) })
    guard written.contains(false) else { return items }
    var isNew = Array(repeating: false, count: items.count)
    for (row, wasInserted) in zip(rows, written) { isNew[row.offset] = wasInserted }
    return items.filter(isNew)
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
  private static func hashes(of items: AddedItems) -> [Int64] {
    // As JSON no two pairs of names give the same bytes.
    var writer = JSONWriter()
    writer.value([items.provider.rawValue, items.surface.rawValue])
    let salt = ContentHash.of(writer.bytes[...])
    return items.indices.map { index in
      // The factor is odd, so that no two sums give the same hash; the golden ratio spreads their bits.
      let hash = (ContentHash.of(items[index]) ^ salt) &* 0x9e37_79b9_7f4a_7c15
      return Int64(bitPattern: hash)
    }
  }
}

import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Which items have been delivered to which users, also those that are no longer there.
struct DeliveredTable: ~Copyable {
  private var insertion = Statement(
    "INSERT INTO delivered (partition, item) VALUES (?, ?) ON CONFLICT DO NOTHING")
  private var erasing = Statement("DELETE FROM delivered WHERE partition = ?")
  private var moving = Statement("UPDATE delivered SET partition = ? WHERE partition = ?")

  /// Whether the item is delivered to the user for the first time.
  mutating func insert(
    _ item: ItemReference, to partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.run(&insertion, .integer(partition), .integer(Self.hash(of: item)))
    return database.changes != 0
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

  /// The hash of provider, surface and id, a zero byte behind each of the first two: neither name
  /// has one.
  private static func hash(of item: ItemReference) -> Int64 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes += item.id.provider.rawValue.utf8
    bytes.append(0)
    bytes += item.surface.rawValue.utf8
    bytes.append(0)
    bytes += item.id.value.utf8
    return Int64(bitPattern: ContentHash.of(bytes[...]))
  }
}

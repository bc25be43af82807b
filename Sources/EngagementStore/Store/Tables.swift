import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// All tables of the cache, and the rules between them.
///
/// A method that writes gets the database inside a transaction. What the tables have in memory is
/// valid until a transaction fails or another process writes.
struct Tables: ~Copyable {
  let options: Store.Options
  var partitions = PartitionTable()
  var outbox = OutboxTable()
  var uploads = UploadTable()
  var rejected = RejectedTable()
  var deliveryCounts = DeliveryCountTable()
  var evictionCounts = EvictionCountTable()
  var ledger: LedgerTable
  var exports = ExportTable()
  var delivered = DeliveredTable()
  var values = ValueTable()
  var itemCache: ItemCache
  var campaigns: CampaignTables
  var assignments = AssignmentTable()
  var showings = ShowingTable()
  var pushStates = PushStateTable()

  private var versions = Statement("PRAGMA data_version")
  private var version: Int64?
  /// How often another process has written, as far as this one has noticed.
  private(set) var writesByOthers = 0
  private var ids = UUIDv7Sequence()

  init(_ options: Store.Options) {
    self.options = options
    ledger = LedgerTable(now: options.now, uptime: options.uptime)
    itemCache = ItemCache(adapters: options.adapters, contentKeys: options.contentKeys)
    campaigns = CampaignTables(options.adapters)
  }

  /// Drops the memory if another process has written since the last use; returns whether one has.
  @discardableResult
  mutating func catchUp(on database: inout Database) throws(EngagementError) -> Bool {
    let now = try database.first(&versions) { $0.integer(0) }
    let isBehind = now != version
    if isBehind {
      if version != nil { writesByOthers += 1 }
      forgetMemory()
    }
    version = now
    return isBehind
  }

  mutating func forgetMemory() {
    version = nil
    partitions.forgetMemory()
    outbox.forgetMemory()
    ledger.forgetMemory()
    values.forgetMemory()
    itemCache.forgetMemory()
    campaigns.forgetMemory()
  }

  /// An id for one of the store's own events.
  mutating func eventID(at now: Date) -> EventID {
    EventID(ids.next(at: now, random: (options.random(), options.random())).text)
  }

  /// Ids for that many of the store's own events. One question for random bits serves all of them.
  mutating func eventIDs(_ count: Int, at now: Date) -> [UUID] {
    let (high, low) = (options.random(), options.random())
    return (0..<UInt64(count)).map { number in
      let spread = number &* 0x9e37_79b9_7f4a_7c15
      return ids.next(at: now, random: (high ^ spread, low &+ spread))
    }
  }

  /// A key for one of the store's own operations: 128 random bits.
  func operationKey() -> OperationKey { OperationKey(options.random(), options.random()) }
}

import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import FoundationEssentials

/// Everything that the cache keeps, and the rules that hold from one table to the other.
///
/// Each method is handed the database inside a transaction where it writes. What is kept in memory
/// counts only until the next transaction that failed, or until another process wrote.
struct Tables: ~Copyable {
  let options: Store.Options
  var partitions = PartitionTable()
  var outbox = OutboxTable()
  var rejected = RejectedTable()
  var tally = TallyTable()
  var ledger = LedgerTable()
  var values = ValueTable()
  var shelf: Shelf

  private var versions = Statement("PRAGMA data_version")
  private var version: Int64?
  private var ids = UUIDv7Sequence()

  init(_ options: Store.Options) {
    self.options = options
    shelf = Shelf(adapters: options.adapters)
  }

  /// Forgets what another process may have changed since the last use; says whether one may have.
  @discardableResult
  mutating func catchUp(on database: inout Database) throws(EngagementError) -> Bool {
    let now = try database.first(&versions) { $0.integer(0) }
    let isBehind = now != version
    if isBehind { forgetMemory() }
    version = now
    return isBehind
  }

  mutating func forgetMemory() {
    version = nil
    partitions.forgetMemory()
    outbox.forgetMemory()
    ledger.forgetMemory()
    values.forgetMemory()
    shelf.forgetMemory()
  }

  /// The id of an event of our own.
  mutating func eventID(at now: Date) -> EventID {
    EventID(ids.next(at: now, random: (options.random(), options.random())).text)
  }

  /// 128 random bits for an operation of our own.
  func operationKey() -> OperationKey { OperationKey(options.random(), options.random()) }
}

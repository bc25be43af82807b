package import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

/// Reads a cache that others may be writing to: any number of processes, each with a connection of
/// its own, without waiting for the writer and without keeping it waiting.
///
/// Each call sees the cache as one transaction left it, and so do all calls within `atOnce`. What
/// cannot be read, is not ours or is newer is an error; nothing is repaired here.
package struct StoreReader: ~Copyable {
  private let options: Store.Options
  private var database: Database
  private var tables: Tables
  private var isReading = false

  /// Opens a cache that is there; `notFound` where none is.
  package init(
    path: String, adapters: [ProviderID: any EngagementAdapter], wait: Duration = .seconds(5)
  ) throws(EngagementError) {
    try self.init(Store.Options(path: path, adapters: adapters, wait: wait))
  }

  private init(_ options: Store.Options) throws(EngagementError) {
    var database = try Database.open(
      at: options.path, mode: .readOnly, newestSchema: Schema.migrations.newest,
      wait: options.wait)
    guard try database.schema == Schema.migrations.newest else {
      throw EngagementError(
        .unavailable, "The cache is of an older version; its application opens it first")
    }
    try Schema.migrations.requireShape(of: &database)
    self.options = options
    self.database = database
    tables = Tables(options)
  }

  /// Everything that the body reads here is as one transaction left it.
  package mutating func atOnce<Value>(
    _ body: (inout StoreReader) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    guard !isReading else { return try body(&self) }
    // One that was damaged lives on under another name, with a fresh one in its place.
    if database.connection.hasMoved { self = try StoreReader(options) }
    try database.connection.execute("BEGIN")
    isReading = true
    defer {
      isReading = false
      database.endReading()
    }
    do throws(EngagementError) {
      if try tables.catchUp(on: &database) { try database.refuseNewer() }
      return try body(&self)
    } catch {
      tables.forgetMemory()
      throw error
    }
  }

  private mutating func read<Value>(
    _ body: (inout Tables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try atOnce { (reader) throws(EngagementError) in
      try body(&reader.tables, &reader.database)
    }
  }
}

extension StoreReader {
  // MARK: Users

  /// The user's partition; nil where the cache does not know the user.
  package mutating func partition(
    of user: User, in environment: String
  ) throws(EngagementError) -> Partition? {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.partition(of: user, in: environment, on: &database)
    }
  }

  /// Who used the application last.
  package mutating func presentUser(
    in environment: String
  ) throws(EngagementError) -> User {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.presentUser(in: environment, on: &database)
    }
  }

  /// What is remembered for a provider, besides items and rows.
  package mutating func memory(
    of provider: ProviderID, in partition: Partition
  ) throws(EngagementError) -> ProviderMemory {
    try read { (tables, database) throws(EngagementError) in
      try tables.values.memory(of: provider, in: partition, on: &database)
    }
  }

  // MARK: Feeds

  /// The feeds that are there.
  package mutating func feeds(of partition: Partition) throws(EngagementError) -> [FeedKey] {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.feeds(of: partition, on: &database)
    }
  }

  /// The cards of a feed as the user sees them now, and the control cards among them.
  package mutating func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Card> {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.cards(in: key, of: partition, at: now, on: &database)
    }
  }

  /// The first cards of a feed as the user sees them; no more are mapped than are shown.
  package mutating func firstCards(
    _ count: Int, in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> [Card] {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.firstCards(count, in: key, of: partition, at: now, on: &database)
    }
  }

  /// The messages of a provider as the user sees them now, each once.
  package mutating func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    try read { (tables, database) throws(EngagementError) in
      try tables.shelf.messages(of: provider, in: partition, at: now, on: &database)
    }
  }

  // MARK: Rows

  /// Entries of the ledger after a sequence, in order; those of one user where one is given.
  package mutating func entries(
    after sequence: Int64, limit: Int, in partition: Partition? = nil
  ) throws(EngagementError) -> [LedgerEntry] {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.entries(
        after: sequence, limit: limit, of: partition?.id, on: &database)
    }
  }

  /// How many rows were accepted for each provider, and what became of them.
  package mutating func tallies() throws(EngagementError) -> [ProviderID: Tally] {
    try read { (tables, database) throws(EngagementError) in
      try tables.tally.all(on: &database)
    }
  }
}

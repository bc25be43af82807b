package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

/// Reads a cache while another process may write to it. Any number of processes may read, each with
/// its own connection; neither readers nor the writer wait.
///
/// Each call reads in one transaction, and so do all calls within `atOnce`. A cache that cannot be
/// read, is not ours or is newer is an error; a reader repairs nothing.
package struct StoreReader: ~Copyable {
  private let options: Store.Options
  private var database: Database
  private var tables: Tables
  private var isReading = false
  /// The totals of the ledger's events when they were last asked for.
  private var knownTotals: (state: LedgerState, totals: [EventTotal])?

  /// Opens an existing cache; throws `notFound` if there is none.
  package init(
    path: String, adapters: [ProviderID: any EngagementAdapter],
    contentKeys: [ProviderID: ContentKeySource] = [:], wait: Duration = .seconds(5)
  ) throws(EngagementError) {
    try self.init(
      Store.Options(path: path, adapters: adapters, contentKeys: contentKeys, wait: wait))
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

  /// Runs the body in one read transaction.
  package mutating func atOnce<Value>(
    _ body: (inout StoreReader) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    guard !isReading else { return try body(&self) }
    // A damaged cache was renamed, and a fresh one is at its path.
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

  /// The user's partition; nil if the cache does not know the user.
  package mutating func partition(
    of user: User, in environment: String
  ) throws(EngagementError) -> Partition? {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.partition(of: user, in: environment, on: &database)
    }
  }

  /// The last user of the application.
  package mutating func presentUser(
    in environment: String
  ) throws(EngagementError) -> User {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.presentUser(in: environment, on: &database)
    }
  }

  /// Whether the last user has signed out or was erased.
  package mutating func hasSignedOut(in environment: String) throws(EngagementError) -> Bool {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.hasSignedOut(in: environment, on: &database)
    }
  }

  /// The values of a provider and a user.
  package mutating func memory(
    of provider: ProviderID, in partition: Partition
  ) throws(EngagementError) -> ProviderMemory {
    try read { (tables, database) throws(EngagementError) in
      try tables.values.memory(of: provider, in: partition, on: &database)
    }
  }

  /// The user's arms in experiments, the newest version of each first.
  package mutating func assignments(
    of partition: Partition
  ) throws(EngagementError) -> [ArmAssignment] {
    try read { (tables, database) throws(EngagementError) in
      try tables.assignments.all(of: partition.id, on: &database)
    }
  }

  // MARK: Feeds

  /// The user's feeds.
  package mutating func feeds(of partition: Partition) throws(EngagementError) -> [FeedKey] {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.feeds(of: partition, on: &database)
    }
  }

  /// The cards of a feed as the user sees them now, with the control cards among them.
  package mutating func cards(
    in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<Card> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.cards(in: key, of: partition, at: now, on: &database)
    }
  }

  /// Feeds of cards and the messages of providers as the user sees them now.
  package mutating func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date
  ) throws(EngagementError) -> LoadedFeeds {
    try read { (tables, database) throws(EngagementError) in
      try tables.load(keys, of: partition, at: now, as: 0, on: &database)
    }
  }

  /// The first cards of a feed as the user sees them; no more are mapped than are shown.
  package mutating func firstCards(
    _ count: Int, in key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> [Card] {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.firstCards(count, in: key, of: partition, at: now, on: &database)
    }
  }

  /// The messages of a provider as the user sees them now, each once.
  package mutating func messages(
    of provider: ProviderID, in partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    try read { (tables, database) throws(EngagementError) in
      try tables.itemCache.messages(of: provider, in: partition, at: now, on: &database)
    }
  }

  // MARK: Rows

  /// What the events of each provider come to. Reads the events that are new since the last call of any
  /// reader, and keeps the result beside the cache.
  ///
  /// - Parameter segmentSize: How many sequences are counted together, if nothing is kept yet. An
  ///   eviction makes a call read as many again.
  package mutating func eventTotals(
    in environment: String, segmentSize: Int64 = 1 << 20
  ) throws(EngagementError) -> [EventTotal] {
    let (file, random, known) = (
      RollupFile(besideCacheAt: options.path), options.random, knownTotals
    )
    let caughtUp = try read { (tables, database) throws(EngagementError) in
      let state = try tables.ledger.state(on: &database)
      if let known, known.state == state { return known }
      if let kept = file.totals(), kept.state == state { return kept }
      let rollup = try tables.rollup(
        of: state, from: file.rollup(), segmentSize: segmentSize, on: &database)
      let totals = rollup.totals()
      file.replace(rollup, totals, random: random())
      return (state, totals)
    }
    knownTotals = caughtUp
    return caughtUp.totals.filter { $0.environment.elementsEqual(environment.utf8) }
  }

  /// The ledger's entries after a sequence, in order; with a partition, those of one user.
  package mutating func entries(
    after sequence: Int64, limit: Int, in partition: Partition? = nil
  ) throws(EngagementError) -> [LedgerEntry] {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.entries(
        after: sequence, limit: limit, of: partition?.id, on: &database)
    }
  }

  /// Runs the body with each row of the ledger after a sequence and up to another, in order, at most
  /// `limit` of them.
  package mutating func eachRow(
    after sequence: Int64, through last: Int64, limit: Int,
    _ body: (borrowing LedgerRow) throws(EngagementError) -> Void
  ) throws(EngagementError) {
    try read { (tables, database) throws(EngagementError) in
      try database.connection.beginScan()
      // Without it the next reads are slower, and nothing else.
      defer { try? database.connection.endScan() }
      try tables.ledger.each(
        after: sequence, through: last, limit: limit, on: &database, body)
    }
  }

  /// The partition of the newest user of all environments; 0 if there was none yet.
  package mutating func newestUser() throws(EngagementError) -> Partition.ID {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.newest(on: &database)
    }
  }

  /// The users of an environment, by the ids of their partitions.
  package mutating func users(
    in environment: String
  ) throws(EngagementError) -> [Partition.ID: User] {
    try read { (tables, database) throws(EngagementError) in
      let all = try tables.partitions.all(on: &database).filter { $0.environment == environment }
      return Dictionary(all.map { ($0.id, $0.user) }) { first, _ in first }
    }
  }

  /// The sequence of the ledger's last entry, of any user; 0 if there is none.
  package mutating func newestSequence() throws(EngagementError) -> Int64 {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.newestSequence(on: &database)
    }
  }

  /// Tells one state of the ledger from another.
  package mutating func ledgerState() throws(EngagementError) -> LedgerState {
    try read { (tables, database) throws(EngagementError) in
      try tables.ledger.state(on: &database)
    }
  }

  /// How many events the ledger has evicted.
  package mutating func evictedEvents() throws(EngagementError) -> EvictedEvents {
    try read { (tables, database) throws(EngagementError) in
      try tables.evictionCounts.all(on: &database)
    }
  }

  /// How many rows were accepted for each provider, and how they ended.
  package mutating func deliveryCounts() throws(EngagementError) -> [ProviderID: DeliveryCounts] {
    try read { (tables, database) throws(EngagementError) in
      try tables.deliveryCounts.all(on: &database)
    }
  }
}

package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

/// The cache: items, overlays, the outbox and the ledger.
///
/// The actor runs on its own thread and owns the only connection that writes. What a call accepts
/// is durable when the call returns. A call that throws has changed nothing.
package actor Store {
  /// How a cache is opened.
  package struct Options: Sendable {
    package var path: String
    package var environment: String
    /// The adapters, which map the items of their providers.
    package var adapters: [ProviderID: any EngagementAdapter]
    /// By what the providers' items are known as copies of contents.
    package var contentKeys: [ProviderID: ContentKeySource]
    package var limits: OutboxLimits
    package var retention: LedgerRetention
    /// How long to wait for another writer.
    package var wait: Duration
    package var random: @Sendable () -> UInt64
    /// The time for the store's own work, such as ending damaged rows.
    package var now: @Sendable () -> Date
    /// The steady time, which the ledger notes beside it.
    package var uptime: @Sendable () -> Duration
    /// The seconds that the device's time zone is ahead of UTC, for the days that campaigns count.
    package var zoneOffset: @Sendable () -> Int
    /// Where the device is, for the places that campaigns name; nil if unknown.
    package var position: @Sendable () -> Campaign.Position?
    /// The digest of the installation's push token; nil if there is none or it is not known.
    package var pushToken: @Sendable (PushEnvironment) -> [UInt8]?
    package var repair: CacheRepair
    /// The beginnings of the names of the kit's values of the installation that are saved from a damaged
    /// cache.
    package var savedValues: [String]

    package init(
      path: String, environment: String = "production",
      adapters: [ProviderID: any EngagementAdapter],
      contentKeys: [ProviderID: ContentKeySource] = [:], limits: OutboxLimits = OutboxLimits(),
      retention: LedgerRetention = LedgerRetention(), wait: Duration = .seconds(5),
      random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      now: @escaping @Sendable () -> Date = { Date() },
      uptime: @escaping @Sendable () -> Duration = { .zero },
      zoneOffset: @escaping @Sendable () -> Int = { 0 },
      position: @escaping @Sendable () -> Campaign.Position? = { nil },
      pushToken: @escaping @Sendable (PushEnvironment) -> [UInt8]? = { _ in nil },
      repair: CacheRepair = .ifDamaged, savedValues: [String] = []
    ) {
      self.path = StoreFile.resolved(path)
      self.environment = environment
      self.adapters = adapters
      self.contentKeys = contentKeys
      self.limits = limits
      self.retention = retention
      self.wait = wait
      self.random = random
      self.now = now
      self.uptime = uptime
      self.zoneOffset = zoneOffset
      self.position = position
      self.pushToken = pushToken
      self.repair = repair
      self.savedValues = savedValues
    }
  }

  private let executor: StoreExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.unowned }

  nonisolated let options: Options
  private var isRepaired = false
  /// The users whose rows are in the log, so that what they did is known as theirs from the log alone.
  var loggedUsers: Set<Partition.ID> = []
  private let repairs = Locked<Recovery?>(nil)
  private var database: Database?
  private var tables: Tables
  /// Whether damage was found, so that every page is verified before the file is used again.
  private var isSuspect = false
  private var lastLoad: Int64 = 0

  /// How a damaged cache was recovered when it was opened; nil if it was sound.
  package nonisolated var recovery: Recovery? { repairs.withLock { $0 } }

  /// Opens the cache, creates it if there is none, and migrates its schema.
  package static func open(
    _ options: Options, at now: Date
  ) async throws(EngagementError) -> Store {
    let store = Store(options, on: try StoreExecutor())
    try await store.open(at: now)
    return store
  }

  private init(_ options: Options, on executor: StoreExecutor) {
    self.executor = executor
    self.options = options
    tables = Tables(options)
  }

  private func open(at now: Date) throws(EngagementError) {
    guard database == nil else { return }
    let opening = try StoreOpening(
      path: options.path, migrations: Schema.migrations, wait: options.wait,
      salvaging: { [options] (damaged, fresh) throws(EngagementError) in
        try OutboxSalvage.run(damaged, values: options.savedValues, into: &fresh)
      }, recognising: { SalvagedRows.areOurs($0, refusedWith: $1) })
    // Once, and not again after a close.
    let repair = isRepaired ? .ifDamaged : options.repair
    let opened = try opening.open(at: now, isSuspect: isSuspect, repair) {
      (database) throws(EngagementError) in
      try OutboxSalvage.read(&database)
    }
    if let recovery = opened.recovery { repairs.withLock { $0 = recovery } }
    isSuspect = false
    loggedUsers = []
    isRepaired = true
    database = opened.intoDatabase()
  }

  /// Closes a file that is damaged or was replaced; the next call opens the cache again.
  private func closeIfDamaged(after error: EngagementError) {
    guard error.isDamagedCache || error.isReplacedCache else { return }
    isSuspect = true
    close()
  }

  /// The number of what is loaded now.
  func nextLoad() -> Int64 {
    lastLoad += 1
    return lastLoad
  }

  // MARK: Access

  /// Runs a body that only reads, in one transaction.
  func read<Value>(
    _ body: (inout Tables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try open(at: options.now())
    do throws(EngagementError) {
      guard
        let value = try database?.reading({ (database) throws(EngagementError) in
          try tables.catchUp(on: &database)
          return try body(&tables, &database)
        })
      else { throw .closedCache }
      return value
    } catch {
      tables.forgetMemory()
      closeIfDamaged(after: error)
      throw error
    }
  }

  /// Runs a body that writes, in one transaction. If the body throws, none of its writes remains.
  func write<Value>(
    _ body: (inout Tables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try open(at: options.now())
    do throws(EngagementError) {
      guard
        let value = try database?.transaction({ (database) throws(EngagementError) in
          // Only inside the transaction: until it began, another process may have written.
          try tables.catchUp(on: &database)
          let value = try body(&tables, &database)
          try tables.evictEvents(on: &database)
          return value
        })
      else { throw .closedCache }
      return value
    } catch {
      // The tables may remember rows that were rolled back.
      tables.forgetMemory()
      closeIfDamaged(after: error)
      throw error
    }
  }

  /// Moves the log into the file; throws `busy` if a reader blocks it for longer than the wait.
  package func checkpoint() throws(EngagementError) {
    try open(at: options.now())
    loggedUsers = []
    try database?.checkpoint(.truncate)
  }

  /// Writes the file anew from its rows and empties the log: nothing of a deleted row is left in either.
  ///
  /// Throws `busy` if a reader blocks the log for longer than the wait.
  func rewrite() throws(EngagementError) {
    // First, so that a log that a reader blocks does not grow with each call.
    try checkpoint()
    do throws(EngagementError) {
      try database?.rewrite()
    } catch {
      closeIfDamaged(after: error)
      throw error
    }
    try checkpoint()
  }

  /// Keeps the log short while the application runs: moves what it can of a long log into the file,
  /// without waiting for readers. Returns whether there was anything to do; false for a closed
  /// file.
  package func tidy() throws(EngagementError) -> Bool {
    guard let size = try database?.file.logSize(), size > Connection.retainedLogSize else {
      return false
    }
    loggedUsers = []
    try database?.checkpoint(.passive)
    return true
  }

  func forget(_ partition: Partition.ID) {
    tables.itemCache.release(partition)
    tables.values.release(partition)
    tables.campaigns.release(partition)
  }

  /// The users with items in memory.
  var partitionsInMemory: Set<Partition.ID> { tables.itemCache.partitionsInMemory }

  /// Closes the file. The next call opens it again.
  func close() {
    tables = Tables(options)
    database = nil
  }
}

extension EngagementError {
  fileprivate static let closedCache = EngagementError(
    .internalFailure, "The cache is closed while it is used")
}

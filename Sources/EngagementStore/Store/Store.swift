package import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

/// The one cache: items, what the user did to them, what is still to be sent, and what happened.
///
/// One actor on a thread of its own owns the one connection that writes. What a call accepts is
/// durable when it returns; what it throws left nothing behind.
package actor Store {
  /// How a cache is opened.
  package struct Options: Sendable {
    package var path: String
    package var environment: String
    /// Who maps the items of which provider.
    package var adapters: [ProviderID: any EngagementAdapter]
    package var limits: OutboxLimits
    /// How long another writer is waited for.
    package var wait: Duration
    package var random: @Sendable () -> UInt64
    /// The time of what the store does by itself, such as ending rows that are damaged.
    package var now: @Sendable () -> Date

    package init(
      path: String, environment: String = "production",
      adapters: [ProviderID: any EngagementAdapter], limits: OutboxLimits = OutboxLimits(),
      wait: Duration = .seconds(5),
      random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.path = path
      self.environment = environment
      self.adapters = adapters
      self.limits = limits
      self.wait = wait
      self.random = random
      self.now = now
    }
  }

  private let executor: StoreExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.unowned }

  nonisolated let options: Options
  private let repairs = Locked<Recovery?>(nil)
  private var database: Database?
  private var tables: Tables
  /// Whether damage was met, so that every page is read before the file is used again.
  private var isSuspect = false

  /// What was done about damage when the cache was opened; nil where there was none.
  package nonisolated var recovery: Recovery? { repairs.withLock { $0 } }

  /// Opens the cache, makes it where there is none, and brings its schema up to date.
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
      salvaging: { (damaged, fresh) throws(EngagementError) in
        try OutboxSalvage.run(&damaged, into: &fresh)
      })
    let opened = try opening.open(at: now, isSuspect: isSuspect) {
      (database) throws(EngagementError) in
      try OutboxSalvage.read(&database)
    }
    if let recovery = opened.recovery { repairs.withLock { $0 = recovery } }
    isSuspect = false
    database = opened.intoDatabase()
  }

  /// What is damaged, or not in its place any more, is opened again by whatever is asked next.
  private func letGo(after error: EngagementError) {
    guard error.isDamagedCache || error == .replacedCache else { return }
    isSuspect = true
    close()
  }

  // MARK: Access

  /// Lends what is kept to a body that only reads, and sees it as one commit left it.
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
      letGo(after: error)
      throw error
    }
  }

  /// Lends what is kept to a body whose writes all become durable, or none where it throws.
  func write<Value>(
    _ body: (inout Tables, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try open(at: options.now())
    do throws(EngagementError) {
      guard
        let value = try database?.transaction({ (database) throws(EngagementError) in
          // Not before: until now another process may have written.
          try tables.catchUp(on: &database)
          return try body(&tables, &database)
        })
      else { throw .closedCache }
      return value
    } catch {
      // What the tables remember may be of rows that are not there.
      tables.forgetMemory()
      letGo(after: error)
      throw error
    }
  }

  /// Moves the log into the file; `busy` where a reader holds it up for longer than the wait.
  package func checkpoint() throws(EngagementError) {
    try open(at: options.now())
    try database?.checkpoint(.truncate)
  }

  /// Keeps the log short while the application runs: moves what it can of a long one into the file
  /// and waits for no reader. Whether there was anything to do; nothing is where the file is let go
  /// of.
  package func tidy() throws(EngagementError) -> Bool {
    guard let size = try database?.file.logSize(), size > Connection.keptLog else { return false }
    try database?.checkpoint(.passive)
    return true
  }

  func forget(_ partition: Partition.ID) {
    tables.shelf.release(partition)
    tables.values.release(partition)
  }

  /// Whose items are held in memory.
  var usersInMemory: Set<Partition.ID> { Set(tables.shelf.sources.keys.map(\.partition)) }

  /// Lets go of the file. Whatever is asked next opens it again.
  func close() {
    tables = Tables(options)
    database = nil
  }
}

extension EngagementError {
  fileprivate static let closedCache = EngagementError(
    .internalFailure, "The cache is closed while it is used")
}

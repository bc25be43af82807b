import CSQLite
import EngagementModel

/// One connection to a file of ours, with the rules that all its users share.
///
/// All writes go through `transaction`, which holds the side lock; a statement that would write
/// outside is refused. Errors are `EngagementError`: `busy` after the wait, `newerSchema`,
/// `unreadable` for what cannot be read or is not ours, `storage` otherwise.
struct Database: ~Copyable {
  /// How a file is opened.
  enum Mode: Sendable {
    /// For reading and writing; created if it is missing or empty.
    case create
    /// For reading and writing; throws `notFound` if it is missing or empty.
    case readWrite
    /// For reading, by any number of processes, without the side lock.
    case readOnly

    var isReadOnly: Bool { self == .readOnly }
  }

  /// The mark of our files, `EngK`, in the header that SQLite keeps for such marks.
  static let applicationID: Int32 = 0x456e_674b

  let mode: Mode
  let newestSchema: Int64
  let wait: Duration
  let file: StoreFile
  var connection: Connection
  var lock: SideLock?

  /// Whether the disk failed under this connection, so that it is replaced before the next write.
  var isSuspect = false
  var isInTransaction = false
  /// The values of the statement that runs.
  var bindings = Bindings()

  /// Opens a file. Only one that is ours, and not newer than `newestSchema`, is ever written to.
  static func open(
    at path: String, mode: Mode, newestSchema: Int64, wait: Duration = .seconds(5)
  ) throws(EngagementError) -> Database {
    do throws(EngagementError) {
      let file = try StoreFile(path)
      if mode == .create { try file.make() }
      try file.requirePlainFile()
      if !mode.isReadOnly, try file.hasStrayLog() { throw .damagedCache }
      let connection = try connect(to: file, mode: mode, wait: wait)
      var database = Database(
        mode: mode, newestSchema: newestSchema, wait: wait, file: file, connection: connection,
        lock: mode.isReadOnly ? nil : try SideLock(at: file.lockPath))
      try database.finishOpening()
      return database
    } catch {
      throw error.whileOpening
    }
  }

  /// The number of migrations that the file has seen.
  var schema: Int64 {
    get throws(EngagementError) { try connection.integer("PRAGMA user_version") ?? 0 }
  }

  /// How many rows the last statement changed.
  var changes: Int64 { connection.changes }

  /// Verifies every page; throws an error with `isDamagedCache` for a damaged file.
  func verify() throws(EngagementError) { try connection.verify() }
}

extension Database {
  /// Opens the file and checks that it is ours. Writes nothing.
  static func connect(
    to file: StoreFile, mode: Mode, wait: Duration
  ) throws(EngagementError) -> Connection {
    let connection = try Connection(
      path: file.path, writable: !mode.isReadOnly, busyFor: wait)
    switch try connection.origin() {
    case .ours:
      guard mode.isReadOnly || !LogCheck.findsLostFrames(at: file.logPath) else {
        throw .damagedCache
      }
    case .damaged: throw .damagedCache
    case .others:
      throw .fileOfAnother
    case .empty:
      // SQLite would throw the log away and with it what the file had before it was cut.
      guard try !file.hasLog() else { throw .damagedCache }
      guard mode == .create else {
        throw EngagementError(.notFound, "There is no cache in this place")
      }
    }
    guard mode.isReadOnly || !connection.isReadOnly else {
      throw EngagementError(.unreadable, "The cache may be read, but not written")
    }
    try connection.configure()
    return connection
  }

  private mutating func finishOpening() throws(EngagementError) {
    try refuseNewer()
    if !mode.isReadOnly, try connection.text("PRAGMA journal_mode") != "wal" {
      try lock?.acquire(within: wait)
      defer { lock?.release() }
      try connection.prepareFile()
    }
    // The schema is read now, so that damage there is found here and not in the middle of work.
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    if mode.isReadOnly { try connection.execute("PRAGMA query_only=1") }
  }

  func refuseNewer() throws(EngagementError) {
    guard try schema <= newestSchema else {
      throw EngagementError(.newerSchema, "The cache was written by a newer version of the library")
    }
  }
}

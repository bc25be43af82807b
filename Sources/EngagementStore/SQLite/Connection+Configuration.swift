import CSQLite
import EngagementModel

extension Connection {
  /// The size to which SQLite cuts an emptied log. A longer log is worth moving into the file.
  static let retainedLogSize: Int64 = 4 << 20

  /// How much is kept of the file's pages, in KiB, as SQLite wants it.
  private static let pageCacheSize: Int64 = -16_000

  /// What each connection is set to before anything is read from the schema, and the value that
  /// SQLite must report afterwards.
  static let pragmas: [(name: String, value: Int64)] = [
    // A schema may be forged: it gets no functions with side effects.
    ("trusted_schema", 0),
    ("cell_size_check", 1),
    // Deleted bytes are overwritten, so that an erased person is gone from the file.
    ("secure_delete", 1),
    // An I/O error is then a result code, and not a signal.
    ("mmap_size", 0),
    // FULL.
    ("synchronous", 2),
    // Checkpoints run only under the side lock.
    ("wal_autocheckpoint", 0),
    ("journal_size_limit", retainedLogSize),
    ("cache_size", pageCacheSize),
    // In memory: no row may leave a trace in a file that a wipe does not know.
    ("temp_store", 2),
    // Costs nothing where a schema declares no reference, and holds it where it does.
    ("foreign_keys", 1),
  ]

  func configure() throws(EngagementError) {
    try set(SQLITE_DBCONFIG_DEFENSIVE, true)
    try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    // A misspelt column in double quotes is an error, and not a text.
    try set(SQLITE_DBCONFIG_DQS_DML, false)
    try set(SQLITE_DBCONFIG_DQS_DDL, false)
    // The last connection to close would otherwise checkpoint, without the side lock.
    try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    for (name, value) in Self.pragmas {
      try execute("PRAGMA \(name)=\(value)")
      // A build without a feature, such as mapped files, reports no value for it.
      guard try integer("PRAGMA \(name)") ?? value == value else {
        throw ResultCode(SQLITE_ERROR).error
      }
    }
  }

  /// Keeps few pages while each is read once: more would only take memory.
  func beginScan() throws(EngagementError) { try execute("PRAGMA cache_size=-512") }

  func endScan() throws(EngagementError) {
    try execute("PRAGMA cache_size=\(Self.pageCacheSize)")
  }

  /// Marks an empty file as ours and turns its log on. The side lock must be held.
  func prepareFile() throws(EngagementError) {
    // A lost directory entry would take the file with it, so its first pages are written under
    // EXTRA, which syncs the folder as well.
    try execute("PRAGMA synchronous=EXTRA")
    if try integer("PRAGMA application_id") == 0 {
      try execute("PRAGMA application_id=\(Database.applicationID)")
    }
    guard try text("PRAGMA journal_mode=WAL") == "wal" else { throw ResultCode(SQLITE_ERROR).error }
    try execute("PRAGMA synchronous=FULL")
  }

  /// Verifies every page.
  func verify() throws(EngagementError) {
    // The quick check does not compare indexes with their tables. A query that met such damage
    // would report it, the check would find nothing, and the next query would meet it again.
    guard try text("PRAGMA integrity_check(1)") == "ok" else { throw .damagedCache }
  }
}

import CSQLite
import EngagementModel

extension Connection {
  /// What a log that was emptied keeps of its length; a longer one is worth moving.
  static let keptLog: Int64 = 4 << 20

  /// What each connection is set to before anything is read from the schema, and the value that
  /// SQLite must report afterwards.
  static let pragmas: [(name: String, value: Int64)] = [
    // What stands in a schema may be forged: it gets no functions with side effects.
    ("trusted_schema", 0),
    ("cell_size_check", 1),
    // What is deleted is overwritten, so that a wiped person is gone from the file.
    ("secure_delete", 1),
    // An I/O error is then a result code, and not a signal.
    ("mmap_size", 0),
    // FULL.
    ("synchronous", 2),
    // Checkpoints run only under the side lock.
    ("wal_autocheckpoint", 0),
    ("journal_size_limit", keptLog),
    ("cache_size", -16000),
    // In memory: no row may leave a trace in a file that a wipe does not know.
    ("temp_store", 2),
    // Costs nothing where a schema declares no reference, and holds it where it does.
    ("foreign_keys", 1),
  ]

  /// - Parameter passingOverFaults: Whether what cannot be understood of the schema is passed over,
  ///   and with it one defence: only ever for a file that is not written to.
  func configure(passingOverFaults: Bool = false) throws(EngagementError) {
    try set(SQLITE_DBCONFIG_DEFENSIVE, !passingOverFaults)
    // Before the schema is looked at for the first time, or SQLite would remember that it is bad.
    if passingOverFaults { try execute("PRAGMA writable_schema=ON") }
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

  /// Reads every page and holds it against its rules.
  func verify() throws(EngagementError) {
    // The quick check would leave out whether indexes have the rows of their tables: whoever met
    // such a damage would be told that there is none, and meet it again for ever.
    guard try text("PRAGMA integrity_check(1)") == "ok" else { throw .damagedCache }
  }
}

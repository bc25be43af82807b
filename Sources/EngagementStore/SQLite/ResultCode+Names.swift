import CSQLite

extension ResultCode {
  /// The name in SQLite's header; one that is newer than the table here ends in its number.
  var name: String {
    guard let entry = Self.names[kind] else { return "\(value)" }
    let extended = Int(value >> 8)
    guard extended > 0 else { return entry.kind }
    return extended <= entry.extended.count
      ? "\(entry.kind)_\(entry.extended[extended - 1])" : "\(entry.kind)_\(extended)"
  }

  /// A kind of result and what its extended codes, which count from 1, add to its name.
  private struct Name {
    let kind: String
    let extended: [String]

    init(_ kind: String, _ extended: [String] = []) {
      self.kind = kind
      self.extended = extended
    }
  }

  // The extended codes are shifted and joined in the header, which Swift does not import.
  private static let names: [Int32: Name] = [
    SQLITE_ERROR: Name("SQLITE_ERROR", ["MISSING_COLLSEQ", "RETRY", "SNAPSHOT"]),
    SQLITE_INTERNAL: Name("SQLITE_INTERNAL"),
    SQLITE_PERM: Name("SQLITE_PERM"),
    SQLITE_ABORT: Name("SQLITE_ABORT", ["1", "ROLLBACK"]),
    SQLITE_BUSY: Name("SQLITE_BUSY", ["RECOVERY", "SNAPSHOT", "TIMEOUT"]),
    SQLITE_LOCKED: Name("SQLITE_LOCKED", ["SHAREDCACHE", "VTAB"]),
    SQLITE_NOMEM: Name("SQLITE_NOMEM"),
    SQLITE_READONLY: Name(
      "SQLITE_READONLY", ["RECOVERY", "CANTLOCK", "ROLLBACK", "DBMOVED", "CANTINIT", "DIRECTORY"]),
    SQLITE_INTERRUPT: Name("SQLITE_INTERRUPT"),
    SQLITE_IOERR: Name(
      "SQLITE_IOERR",
      [
        "READ", "SHORT_READ", "WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "FSTAT", "UNLOCK",
        "RDLOCK", "DELETE", "BLOCKED", "NOMEM", "ACCESS", "CHECKRESERVEDLOCK", "LOCK", "CLOSE",
        "DIR_CLOSE", "SHMOPEN", "SHMSIZE", "SHMLOCK", "SHMMAP", "SEEK", "DELETE_NOENT", "MMAP",
        "GETTEMPPATH", "CONVPATH", "VNODE", "AUTH", "BEGIN_ATOMIC", "COMMIT_ATOMIC",
        "ROLLBACK_ATOMIC", "DATA", "CORRUPTFS",
      ]),
    SQLITE_CORRUPT: Name("SQLITE_CORRUPT", ["VTAB", "SEQUENCE", "INDEX"]),
    SQLITE_NOTFOUND: Name("SQLITE_NOTFOUND"),
    SQLITE_FULL: Name("SQLITE_FULL"),
    SQLITE_CANTOPEN: Name(
      "SQLITE_CANTOPEN", ["NOTEMPDIR", "ISDIR", "FULLPATH", "CONVPATH", "DIRTYWAL", "SYMLINK"]),
    SQLITE_PROTOCOL: Name("SQLITE_PROTOCOL"),
    SQLITE_EMPTY: Name("SQLITE_EMPTY"),
    SQLITE_SCHEMA: Name("SQLITE_SCHEMA"),
    SQLITE_TOOBIG: Name("SQLITE_TOOBIG"),
    SQLITE_CONSTRAINT: Name(
      "SQLITE_CONSTRAINT",
      [
        "CHECK", "COMMITHOOK", "FOREIGNKEY", "FUNCTION", "NOTNULL", "PRIMARYKEY", "TRIGGER",
        "UNIQUE", "VTAB", "ROWID", "PINNED", "DATATYPE",
      ]),
    SQLITE_MISMATCH: Name("SQLITE_MISMATCH"),
    SQLITE_MISUSE: Name("SQLITE_MISUSE"),
    SQLITE_NOLFS: Name("SQLITE_NOLFS"),
    SQLITE_AUTH: Name("SQLITE_AUTH", ["USER"]),
    SQLITE_FORMAT: Name("SQLITE_FORMAT"),
    SQLITE_RANGE: Name("SQLITE_RANGE"),
    SQLITE_NOTADB: Name("SQLITE_NOTADB"),
  ]
}

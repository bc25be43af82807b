import CSQLite
import EngagementModel

/// What a call of SQLite returned, with its extended part.
struct ResultCode: Hashable, Sendable {
  let value: Int32

  init(_ value: Int32) { self.value = value }

  /// The kind of result, without what the extended part adds.
  var kind: Int32 { value & 0xff }

  /// The failure as applications see it. SQLite's own message is left out: it may quote names,
  /// values or paths.
  var error: EngagementError {
    let (code, message) = meaning
    return EngagementError(code, message, underlying: name, cause: .sqlite(self))
  }

  /// Whether the file itself is damaged.
  var isDamage: Bool { kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB }

  /// Whether the file could not be reached, which says nothing about its contents.
  var isDiskFailure: Bool { kind == SQLITE_IOERR || kind == SQLITE_READONLY }

  /// Throws every result but success. Every call of SQLite passes its result to this function.
  static func check(_ value: Int32) throws(EngagementError) {
    switch value {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return
    default: throw ResultCode(value).error
    }
  }

  private var meaning: (EngagementError.Code, String) {
    switch kind {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      (.busy, "The cache is in use by another connection")
    case SQLITE_CORRUPT, SQLITE_NOTADB: (.storage, "The cache is damaged")
    case SQLITE_IOERR: (.storage, "The disk failed under the cache")
    case SQLITE_FULL: (.storage, "There is no room for the cache")
    case SQLITE_NOMEM: (.storage, "There is no memory for the cache")
    case SQLITE_READONLY: (.storage, "The cache cannot be written")
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOLFS:
      (.unreadable, "The cache cannot be opened")
    case SQLITE_CONSTRAINT: (.conflict, "The cache refuses a row that breaks one of its rules")
    case SQLITE_TOOBIG: (.invalidArgument, "A value is too large for the cache")
    case SQLITE_INTERRUPT: (.cancelled, "The work on the cache was interrupted")
    default: (.internalFailure, "The cache was used in a way that SQLite refuses")
    }
  }
}

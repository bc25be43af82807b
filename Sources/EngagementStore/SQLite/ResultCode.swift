import CSQLite
import EngagementModel

/// What a call of SQLite returned, with its extended part.
struct ResultCode: Hashable, Sendable {
  let value: Int32

  init(_ value: Int32) { self.value = value }

  /// The kind of result, without what the extended part adds.
  var kind: Int32 { value & 0xff }

  /// The failure as the library's users see it. SQLite's own message stays behind: it may quote
  /// names, values or paths.
  var error: EngagementError {
    let (code, message) = meaning
    return EngagementError(code, message, underlying: name)
  }

  /// Every result passes here: anything but success is thrown.
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

extension EngagementError {
  /// A damaged cache: to be set aside, unlike one that cannot be read or that others wrote.
  static let damagedCache = ResultCode(SQLITE_CORRUPT).error

  /// Whether the cache itself is damaged, so that the store may set it aside and begin anew.
  var isDamagedCache: Bool { isStorage(SQLITE_CORRUPT) || isStorage(SQLITE_NOTADB) }

  /// The file is no longer the one in the cache's place: another process set it aside, or somebody
  /// removed it. Whoever has it open is to open the cache again.
  static let replacedCache = EngagementError(
    .storage, "The cache was taken from its place and must be opened again",
    underlying: "SQLITE_READONLY_DBMOVED")

  /// The same failure as it counts while a file is opened: whatever keeps it from being read says
  /// nothing about what is in it.
  var whileOpening: EngagementError {
    guard isStorage(SQLITE_IOERR) || isStorage(SQLITE_READONLY) else { return self }
    return EngagementError(.unreadable, "The cache cannot be read", underlying: underlying)
  }

  private func isStorage(_ kind: Int32) -> Bool {
    guard code == .storage, let underlying else { return false }
    let name = ResultCode(kind).name
    return underlying == name || underlying.hasPrefix(name + "_")
  }
}

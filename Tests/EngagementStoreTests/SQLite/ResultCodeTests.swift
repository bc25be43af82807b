import CSQLite
import EngagementModel
import Testing

@testable import EngagementStore

@Suite struct ResultCodeTests {
  private static let table: [(Int32, EngagementError.Code, String)] = [
    (SQLITE_BUSY, .busy, "SQLITE_BUSY"),
    (SQLITE_BUSY | 2 << 8, .busy, "SQLITE_BUSY_SNAPSHOT"),
    (SQLITE_LOCKED, .busy, "SQLITE_LOCKED"),
    (SQLITE_CORRUPT | 3 << 8, .storage, "SQLITE_CORRUPT_INDEX"),
    (SQLITE_NOTADB, .storage, "SQLITE_NOTADB"),
    (SQLITE_IOERR | 4 << 8, .storage, "SQLITE_IOERR_FSYNC"),
    (SQLITE_IOERR | 33 << 8, .storage, "SQLITE_IOERR_CORRUPTFS"),
    (SQLITE_FULL, .storage, "SQLITE_FULL"),
    (SQLITE_NOMEM, .storage, "SQLITE_NOMEM"),
    (SQLITE_READONLY | 4 << 8, .storage, "SQLITE_READONLY_DBMOVED"),
    (SQLITE_CANTOPEN, .unreadable, "SQLITE_CANTOPEN"),
    (SQLITE_PERM, .unreadable, "SQLITE_PERM"),
    (SQLITE_CONSTRAINT | 8 << 8, .conflict, "SQLITE_CONSTRAINT_UNIQUE"),
    (SQLITE_TOOBIG, .invalidArgument, "SQLITE_TOOBIG"),
    (SQLITE_INTERRUPT, .cancelled, "SQLITE_INTERRUPT"),
    (SQLITE_ABORT | 2 << 8, .internalFailure, "SQLITE_ABORT_ROLLBACK"),
    (SQLITE_MISUSE, .internalFailure, "SQLITE_MISUSE"),
    (SQLITE_IOERR | 99 << 8, .storage, "SQLITE_IOERR_99"),
    (200, .internalFailure, "200"),
  ]

  @Test("each result code becomes one error with SQLite's own name for it", arguments: table)
  func mapping(value: Int32, code: EngagementError.Code, name: String) {
    let error = failure { () throws(EngagementError) in try ResultCode.check(value) }
    #expect(error?.code == code)
    #expect(error?.underlying == name)
  }

  @Test("success codes throw no error", arguments: [SQLITE_OK, SQLITE_ROW, SQLITE_DONE])
  func success(value: Int32) throws { try ResultCode.check(value) }

  @Test("only corruption codes report a damaged cache", arguments: table)
  func damage(value: Int32, code: EngagementError.Code, name: String) {
    let isDamage = [SQLITE_CORRUPT, SQLITE_NOTADB].contains(value & 0xff)
    #expect(ResultCode(value).error.isDamagedCache == isDamage)
  }

  @Test("an error is known by its cause and not by its text")
  func cause() {
    let damage = EngagementError.damagedCache
    let twin = EngagementError(damage.code, damage.message, underlying: damage.underlying)
    #expect(twin == damage)
    #expect(twin.hashValue == damage.hashValue)
    #expect(!twin.isDamagedCache)
    #expect(!ResultCode(SQLITE_READONLY | 4 << 8).error.isReplacedCache)
    #expect(EngagementError.replacedCache.isReplacedCache)
  }

  @Test("a disk error during opening reports the cache as unreadable", arguments: table)
  func opening(value: Int32, code: EngagementError.Code, name: String) {
    let isUnread = [SQLITE_IOERR, SQLITE_READONLY].contains(value & 0xff)
    #expect(ResultCode(value).error.whileOpening.code == (isUnread ? .unreadable : code))
  }
}

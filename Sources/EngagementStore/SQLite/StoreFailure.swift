import CSQLite
import EngagementModel

/// Why the cache file failed, as the `cause` of an `EngagementError`.
///
/// The store decides by this value what to do about a failure. Applications see the error's code.
enum StoreFailure: Error, Hashable {
  case sqlite(ResultCode)
  /// Another process set the file aside, or the file was removed.
  case replaced
}

extension EngagementError {
  init(_ code: Code, _ message: String, underlying: String?, cause: StoreFailure) {
    self.init(code, message, underlying: underlying)
    self.cause = cause
  }

  private var storeFailure: StoreFailure? { cause as? StoreFailure }

  /// A damaged cache. The store sets it aside, unlike one that cannot be read or that is not ours.
  static let damagedCache = ResultCode(SQLITE_CORRUPT).error

  /// Whether the cache file is damaged, so that the store may set it aside and begin anew.
  var isDamagedCache: Bool {
    switch storeFailure {
    case .sqlite(let code)?: code.isDamage
    case .replaced?, nil: false
    }
  }

  /// Whether a row breaks a rule of its table, such as that an id is there once.
  var breaksConstraint: Bool {
    switch storeFailure {
    case .sqlite(let code)?: code.kind == SQLITE_CONSTRAINT
    case .replaced?, nil: false
    }
  }

  /// The file is not one of ours.
  static let fileOfAnother = EngagementError(
    .unreadable, "The file was not written by this library")

  var isOfAnother: Bool { self == .fileOfAnother }

  /// The user was erased, perhaps by another process.
  static let erasedUser = EngagementError(
    .notFound, "The user is not in the cache; what was held is erased.")

  /// The open file is no longer the one at the cache's path. The cache must be opened again.
  static let replacedCache = EngagementError(
    .storage, "The cache was taken from its place and must be opened again",
    underlying: "SQLITE_READONLY_DBMOVED", cause: .replaced)

  /// Whether the cache must be opened again.
  package var isReplacedCache: Bool {
    switch storeFailure {
    case .replaced?: true
    case .sqlite?, nil: false
    }
  }

  /// The same failure while a file is opened. A disk failure then says nothing about the file's
  /// contents, so it counts as `unreadable`.
  var whileOpening: EngagementError {
    switch storeFailure {
    case .sqlite(let code)?: code.isDiskFailure ? unreadableCache : self
    case .replaced?: unreadableCache
    case nil: self
    }
  }

  private var unreadableCache: EngagementError {
    var error = EngagementError(.unreadable, "The cache cannot be read", underlying: underlying)
    error.cause = cause
    return error
  }
}

import EngagementModel
import EngagementPlatform

/// Opens a cache, and recovers a damaged one.
///
/// A damaged cache is set aside, its sound rows are saved, and a fresh cache takes its place: no
/// damage keeps a user out of the application. A cache that cannot be read, is not ours or is newer
/// is an error, and its files are not changed.
struct StoreOpening {
  /// Copies the sound rows of a damaged cache into a fresh one, which is in a transaction. Rows
  /// that an earlier, killed recovery has copied stay. An error comes from the fresh cache: rows
  /// that cannot be read in the damaged one are skipped.
  typealias Salvaging = (
    _ damaged: PageImages, _ fresh: inout Database
  ) throws(EngagementError) -> Salvage

  /// Whether a file that SQLite or the header calls another's, or that of a newer version, is a damaged
  /// cache all the same.
  typealias Recognising = (_ file: PageImages, _ error: EngagementError) -> Bool

  /// What was saved.
  struct Salvage: Equatable {
    var savedRows = 0
    /// Rows that are known to be lost.
    var lostRows = 0
    /// Whether every row was read and sound.
    var isComplete = false
    /// Whether the same holds for the values that are saved.
    var hasAllValues = false
  }

  /// An open cache, and how it was recovered; nil if it was sound.
  struct Opened: ~Copyable {
    var database: Database
    let recovery: Recovery?

    consuming func intoDatabase() -> Database { database }
  }

  let file: StoreFile
  let migrations: Migrations
  let wait: Duration
  let salvaging: Salvaging
  let recognising: Recognising

  init(
    path: String, migrations: Migrations, wait: Duration = .seconds(5),
    salvaging: @escaping Salvaging, recognising: @escaping Recognising = { _, _ in false }
  ) throws(EngagementError) {
    file = try StoreFile(path)
    self.migrations = migrations
    self.wait = wait
    self.salvaging = salvaging
    self.recognising = recognising
  }

  /// Opens the cache and brings it up to date.
  ///
  /// A sound cache is set aside too if the repair says so. `first` reads what the owner needs from the start, so that damage there is found now. With
  /// `isSuspect`, every page is verified.
  func open(
    at now: Date, isSuspect: Bool = false, _ repair: CacheRepair = .ifDamaged,
    first: (inout Database) throws(EngagementError) -> Void = { (_) throws(EngagementError) in }
  ) throws(EngagementError) -> Opened {
    var recovery: Recovery?
    if try files.areWaiting { recovery = try recover(at: now) }
    if repair != .ifDamaged {
      // Before the cache is set aside: without room nothing could take its place.
      try file.requireRoom(for: Self.roomOfFreshCache)
      recovery = try recover(from: try files.present, at: now, repair) ?? recovery
    }
    if recovery == nil, CacheMark(of: file).isSet {
      if try file.isUnusable() {
        recovery = try recover(from: try files.present, at: now) ?? recovery
      } else if try file.isMissing() {
        recovery = try replaceMissing() ?? recovery
      }
    }
    // Another process may recover it at the same time. And the second file may be damaged as well,
    // if only the log of a lost file was there.
    for _ in 0..<3 {
      let found = try files.present
      do throws(EngagementError) {
        let database = try ready(isSuspect, first)
        CacheMark(of: file).set()
        return Opened(database: database, recovery: recovery)
      } catch {
        guard error.isDamagedCache || isOurs(error) else { throw error }
      }
      recovery = try recover(from: found, at: now) ?? recovery
    }
    throw .damagedCache
  }

  /// What a new cache and its log take with a few thousand rows.
  private static let roomOfFreshCache = 2 << 20

  private var files: DamagedFiles { DamagedFiles(of: file) }

  /// Whether a refused file is a damaged cache.
  private func isOurs(_ error: EngagementError) -> Bool {
    guard error.code == .newerSchema || error.isOfAnother else { return false }
    // What replaced a cache is no other program's, whatever it looks like.
    if error.isOfAnother, CacheMark(of: file).isSet { return true }
    return recognising(PageImages(file.path), error)
  }

  private func ready(
    _ isSuspect: Bool, _ first: (inout Database) throws(EngagementError) -> Void
  ) throws(EngagementError) -> Database {
    var database = try upToDate()
    if isSuspect { try database.verify() }
    try first(&database)
    return database
  }

  private func upToDate() throws(EngagementError) -> Database {
    var database = try Database.open(
      at: file.path, mode: .create, newestSchema: migrations.newest, wait: wait)
    try migrations.run(on: &database)
    return database
  }
}

extension StoreOpening {
  /// Sets a damaged file aside, unless one is waiting already, and saves its rows.
  ///
  /// Nil if another process did so in the meantime.
  private func recover(
    from damaged: DamagedFiles.Identity? = nil, at now: Date, _ repair: CacheRepair = .ifDamaged
  ) throws(EngagementError) -> Recovery? {
    try alone { () throws(EngagementError) in
      if let damaged, try !files.areWaiting { try files.take(damaged, within: wait) }
      guard try files.areWaiting else { return nil }
      try files.takeLog(within: wait)
      let salvage = repair == .startingEmpty ? try startEmpty(at: now) : try save(at: now)
      return Recovery(
        setAside: try files.keep(at: now), savedRows: salvage.savedRows,
        lostRows: salvage.lostRows, mayHaveLostRows: !salvage.isComplete,
        mayHaveLostValues: !salvage.hasAllValues)
    }
  }

  /// Makes a cache in the place of one that is gone with all that was in it. Nil if another process
  /// did so, or set the cache aside, in the meantime.
  private func replaceMissing() throws(EngagementError) -> Recovery? {
    try alone { () throws(EngagementError) in
      guard try file.isMissing(), try !files.areWaiting else { return nil }
      _ = try upToDate()
      return Recovery(setAside: nil, savedRows: 0, mayHaveLostRows: true, mayHaveLostValues: true)
    }
  }

  /// Runs a body while no other process recovers the cache.
  private func alone(
    _ body: () throws(EngagementError) -> Recovery?
  ) throws(EngagementError) -> Recovery? {
    let lockPath = "\(file.path).recovery"
    var lock = try SideLock(at: lockPath)
    try lock.acquire(within: wait)
    defer {
      StoreFile.remove(lockPath)
      lock.release()
    }
    return try body()
  }

  private func startEmpty(at now: Date) throws(EngagementError) -> Salvage {
    _ = try makeFresh(at: now)
    return Salvage()
  }

  private func save(at now: Date) throws(EngagementError) -> Salvage {
    let isFirst = try makeFresh(at: now)
    var fresh = try upToDate()
    let damaged = PageImages(files.path)
    var salvage = try fresh.transaction { (fresh) throws(EngagementError) in
      try salvaging(damaged, &fresh)
    }
    // What was in a damaged log is gone without a count.
    let isLogWhole = isFirst && !LogCheck.findsLostFrames(at: "\(files.path)-wal")
    salvage.isComplete = salvage.isComplete && isLogWhole
    salvage.hasAllValues = salvage.hasAllValues && isLogWhole
    return salvage
  }

  /// Makes sure that a sound cache is at the path, to take the rows. False if a second damaged one,
  /// left by an interrupted recovery, was given up.
  private func makeFresh(at now: Date) throws(EngagementError) -> Bool {
    do throws(EngagementError) {
      _ = try upToDate()
      return true
    } catch {
      guard error.isDamagedCache || isOurs(error) else { throw error }
      try files.giveUpPresent(at: now, within: wait)
      return false
    }
  }
}

/// Whether a sound cache is set aside as a damaged one is.
package enum CacheRepair: Hashable, Sendable {
  /// Only a damaged cache is.
  case ifDamaged
  /// A sound one is too; its pending rows are saved.
  case always
  /// A sound one is too, and nothing is saved.
  case startingEmpty
}

import EngagementModel
import FoundationEssentials

/// Opens a cache whatever became of it while nobody looked.
///
/// One that is damaged is set aside, its sound rows are saved, and a fresh one takes its place:
/// no state of the files keeps a user out of the application. One that cannot be read, that is
/// not ours or that is newer is none of that: it is an error, and left as it is.
struct StoreOpening {
  /// Copies what is sound in a damaged cache into a fresh one, which is in a transaction. Rows
  /// that are in the fresh one already, after a kill, are left alone. An error is the fresh one's:
  /// what the damaged one does not give is passed over.
  typealias Salvaging = (
    _ damaged: inout Database, _ fresh: inout Database
  ) throws(EngagementError) -> Salvage

  /// What came of that.
  struct Salvage: Equatable {
    var savedRows = 0
    /// Whether every row was read and sound.
    var isComplete = false
  }

  /// An open cache, and what had to be done about it.
  struct Opened: ~Copyable {
    var database: Database
    let recovery: Recovery?

    consuming func intoDatabase() -> Database { database }
  }

  let file: StoreFile
  let migrations: Migrations
  let wait: Duration
  let salvaging: Salvaging

  init(
    path: String, migrations: Migrations, wait: Duration = .seconds(5),
    salvaging: @escaping Salvaging
  ) throws(EngagementError) {
    file = try StoreFile(path)
    self.migrations = migrations
    self.wait = wait
    self.salvaging = salvaging
  }

  /// Opens the cache and brings it up to date.
  ///
  /// `first` reads what its owner needs from the start; damage that it meets counts. Where the
  /// cache has met damage since it was opened, `isSuspect` has every page read.
  func open(
    at now: Date, isSuspect: Bool = false,
    first: (inout Database) throws(EngagementError) -> Void = { (_) throws(EngagementError) in }
  ) throws(EngagementError) -> Opened {
    var recovery: Recovery?
    if try files.areWaiting { recovery = try recover(at: now) }
    // Others may be at it as well; and what is left is damaged at most a second time, where only
    // the log of a file that is gone was in its place.
    for _ in 0..<3 {
      let found = try files.present
      do throws(EngagementError) {
        return Opened(database: try ready(isSuspect, first), recovery: recovery)
      } catch {
        guard error.isDamagedCache else { throw error }
      }
      recovery = try recover(from: found, at: now) ?? recovery
    }
    throw .damagedCache
  }

  private var files: DamagedFiles { DamagedFiles(of: file) }

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
  /// Takes a damaged file out of the way, unless one is there already, and saves its rows.
  ///
  /// Nil where another process did so in the meantime.
  private func recover(
    from damaged: DamagedFiles.Identity? = nil, at now: Date
  ) throws(EngagementError) -> Recovery? {
    let lockPath = "\(file.path).recovery"
    var lock = try SideLock(at: lockPath)
    try lock.acquire(within: wait)
    defer {
      StoreFile.remove(lockPath)
      lock.release()
    }
    if let damaged, try !files.areWaiting { try files.take(damaged, within: wait) }
    guard try files.areWaiting else { return nil }
    try files.takeLog(within: wait)
    let salvage = try save(at: now)
    return Recovery(
      setAside: try files.keep(at: now), savedRows: salvage.savedRows,
      mayHaveLostRows: !salvage.isComplete)
  }

  private func save(at now: Date) throws(EngagementError) -> Salvage {
    let isFirst = try makeFresh(at: now)
    var fresh = try upToDate()
    var damaged: Database
    do throws(EngagementError) {
      damaged = try Database.open(
        at: files.path, mode: .salvage, newestSchema: migrations.newest, wait: wait)
    } catch {
      // What cannot be opened now will not be opened later either, and must not keep the user
      // out; the files stay. Someone who is at work on them will be done.
      guard error.code != .busy else { throw error }
      return Salvage()
    }
    var salvage = try fresh.transaction { (fresh) throws(EngagementError) in
      try salvaging(&damaged, &fresh)
    }
    salvage.isComplete = salvage.isComplete && isFirst
    return salvage
  }

  /// Sees to it that a sound cache is in the place, which takes the rows; false where a second
  /// damaged one, left by a recovery that was cut short, had to be given up for it.
  private func makeFresh(at now: Date) throws(EngagementError) -> Bool {
    do throws(EngagementError) {
      _ = try upToDate()
      return true
    } catch {
      guard error.isDamagedCache else { throw error }
      try files.giveUpPresent(at: now, within: wait)
      return false
    }
  }
}

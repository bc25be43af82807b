import CSQLite
import EngagementModel

extension Database {
  /// Runs the body in one transaction, alone among all processes: all of it is durable when this
  /// returns, and none of it is there when it throws.
  mutating func transaction<Value>(
    _ body: (inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try writing { (database) throws(EngagementError) in
      try database.connection.execute("BEGIN IMMEDIATE")
      database.isInTransaction = true
      defer { database.isInTransaction = false }
      do throws(EngagementError) {
        let value = try body(&database)
        try database.commit()
        return value
      } catch {
        database.rollBack()
        if database.isSuspect { database.emptyLog() }
        throw error
      }
    }
  }

  /// Runs the body in one transaction that only reads: all that it sees is as one commit left it.
  mutating func reading<Value>(
    _ body: (inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try connection.execute("BEGIN")
    defer { endReading() }
    return try body(&self)
  }

  func endReading() {
    do throws(EngagementError) {
      try connection.execute("COMMIT")
    } catch {
      // Nothing was written, and the next reading says what is wrong.
    }
  }

  /// Replaces a connection under which the disk failed, as the next write would.
  mutating func renewIfSuspect() throws(EngagementError) {
    guard isSuspect else { return }
    try writing { (_) throws(EngagementError) in }
  }

  /// How far a checkpoint went.
  struct Checkpoint: Hashable, Sendable {
    /// The pages in the log.
    let logged: Int
    /// Those of them that are in the file now.
    let moved: Int
    /// Whether the log has nothing left that the file lacks.
    var isComplete: Bool { logged == moved }
  }

  enum CheckpointMode: Sendable {
    /// Moves what no reader blocks, without waiting.
    case passive
    /// Moves everything and empties the log; throws `busy` if a reader does not end in time.
    case truncate
  }

  /// Moves pages from the log into the file.
  @discardableResult
  mutating func checkpoint(_ mode: CheckpointMode) throws(EngagementError) -> Checkpoint {
    try writing { (database) throws(EngagementError) in
      try database.moveLog(mode)
    }
  }

  /// Writes all rows into new pages, in one commit. `secure_delete` overwrites a deleted row where it was,
  /// and not the copies of it that SQLite leaves in the unused room of a page whose rows it moves.
  mutating func rewrite() throws(EngagementError) {
    try writing { (database) throws(EngagementError) in
      try database.connection.execute("VACUUM")
    }
  }
}

extension Database {
  /// Runs the body under the side lock, on a connection that is sound.
  private mutating func writing<Value>(
    _ body: (inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    guard !mode.isReadOnly else { throw ResultCode(SQLITE_READONLY).error }
    guard !isInTransaction, connection.isIdle else {
      throw EngagementError(.internalFailure, "A transaction of the cache begins within another")
    }
    try lock?.acquire(within: wait)
    defer { lock?.release() }
    // Writes to a file without a name would be lost when this process ends.
    guard !connection.hasMoved else { throw .replacedCache }
    do throws(EngagementError) {
      if isSuspect { try replaceConnection() }
      return try body(&self)
    } catch {
      if connection.failedOnDisk { isSuspect = true }
      throw error
    }
  }

  private mutating func commit() throws(EngagementError) {
    do throws(EngagementError) {
      try connection.execute("COMMIT")
    } catch {
      // Asked here, since rolling back is the next thing that SQLite is asked to do.
      if connection.failedOnDisk { isSuspect = true }
      throw error
    }
  }

  mutating func rollBack() {
    guard !connection.isIdle else { return }
    do throws(EngagementError) {
      try connection.execute("ROLLBACK")
    } catch {
      // The error that led here says more than this one.
      isSuspect = true
    }
  }

  private func moveLog(_ mode: CheckpointMode) throws(EngagementError) -> Checkpoint {
    var (logged, moved): (Int32, Int32) = (-1, -1)
    let flag = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    try unsafe ResultCode.check(
      sqlite3_wal_checkpoint_v2(connection.handle, "main", flag, &logged, &moved))
    guard logged >= 0 else { throw ResultCode(SQLITE_ERROR).error }
    return Checkpoint(logged: Int(logged), moved: Int(moved))
  }

  /// Takes out of the log what may be the whole of a commit that failed only when it was synced.
  ///
  /// This connection knows that the commit failed. The next process to open the file would not.
  private mutating func emptyLog() {
    do throws(EngagementError) {
      _ = try moveLog(.truncate)
    } catch {
      // The next write tries again, and the caller gets the commit's own error.
      isSuspect = true
    }
  }

  /// Opens the file anew, from an empty log, and reads all of it.
  private mutating func replaceConnection() throws(EngagementError) {
    if !connection.isIdle { try connection.execute("ROLLBACK") }
    _ = try moveLog(.truncate)
    connection = try Self.connect(to: file, mode: mode, wait: wait)
    try refuseNewer()
    try verify()
    isSuspect = false
  }
}

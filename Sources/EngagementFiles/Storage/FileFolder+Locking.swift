import EngagementModel
import EngagementPlatform

extension FileFolder {
  /// How long to wait for other processes, which hold the lock for milliseconds.
  private static let longestWait: Duration = .seconds(10)

  /// The folder, for its owner alone. Makes it, with the folders above it, if there is none.
  func made() throws(EngagementError) -> OpenFolder {
    if try OpenFolder(at: path) == nil { Self.make(path) }
    guard let folder = try OpenFolder(at: path) else { throw Self.unwritten }
    folder.protect()
    return folder
  }

  /// Runs the body alone among all processes and threads. Throws `busy` after a long wait.
  ///
  /// The lock is on the folder itself, so that no file of another kind can have its name. The system
  /// releases it when its holder ends.
  func exclusively<Value>(
    _ body: (borrowing OpenFolder) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: Self.longestWait)
    while clock.now < deadline {
      let folder = try made()
      if try lock(folder, until: deadline) { return try body(folder) }
    }
    throw EngagementError(.busy, "Another process holds the folder of files: try again later.")
  }

  /// Waits for the lock. Returns false if the folder is not the one of that path any more, or after
  /// the deadline.
  private func lock(
    _ folder: borrowing OpenFolder, until deadline: ContinuousClock.Instant
  ) throws(EngagementError) -> Bool {
    while flock(folder.descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.unreadable }
      guard ContinuousClock.now < deadline else { return false }
      // `flock` can't wait for a time, and a signal to end it would be the whole process's.
      usleep(500)
    }
    guard let own = folder.status(), let named = try OpenFolder(at: path)?.status() else {
      return false
    }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  private static func make(_ path: String) {
    guard unsafe mkdir(path, 0o700) != 0, errno == ENOENT, let slash = path.lastIndex(of: "/"),
      slash != path.startIndex
    else { return }
    make(String(path[..<slash]))
    _ = unsafe mkdir(path, 0o700)
  }
}

package import EngagementModel
import EngagementPlatform

/// A small file of secrets that only its owner can read. It is replaced as a whole: it has either
/// the old or the new contents, also after a power failure.
///
/// A file that cannot be read is an error, and never taken for empty. Callers change it under
/// `exclusively`, which excludes every other process.
package struct DurableFile: Sendable {
  private let file: StoreFile
  private let limit: Int

  /// Names a file; nothing is opened yet. Errors call it by the subject.
  package init(
    at path: String, called subject: String, limit: Int = 4 << 20
  ) throws(EngagementError) {
    file = try StoreFile(path, called: subject)
    self.limit = limit
  }

  /// Runs the body alone among all processes; throws `busy` after the wait.
  package func exclusively<Value>(
    within wait: Duration, _ body: () throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try file.makeFolder()
    try refuseOpenFolder()
    var lock = try SideLock(at: file.lockPath, for: file.subject)
    try lock.acquire(within: wait)
    defer { lock.release() }
    // A process that was killed while it wrote may have left this file.
    StoreFile.remove(nextPath)
    return try body()
  }

  /// The whole file; nil if there is none. Throws `unreadable` for anything but a plain file
  /// that only its owner can read.
  package func read() throws(EngagementError) -> [UInt8]? {
    guard try exists() else { return nil }
    let open = try OpenFile(
      file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, called: file.subject)
    let status = try open.status()
    try refuse(status)
    let bytes = try open.read(atMost: Int(status.st_size))
    guard bytes.count == Int(status.st_size) else {
      throw EngagementError(.unreadable, "The \(file.subject) ends before its end")
    }
    return bytes
  }

  /// What tells the file and its contents from any other that has had the name.
  package struct Version: Hashable, Sendable {
    private let numbers: [Int64]

    fileprivate init(_ status: stat) {
      #if canImport(Darwin)
        let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
      #else
        let (written, changed) = (status.st_mtim, status.st_ctim)
      #endif
      numbers = [
        Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
        Int64(status.st_mode), Int64(status.st_uid), Int64(status.st_size),
        Int64(written.tv_sec), Int64(written.tv_nsec), Int64(changed.tv_sec),
        Int64(changed.tv_nsec),
      ]
    }
  }

  /// The present version of the file; nil if there is none, or if it was written so short a time ago that
  /// another one may look the same: a file system's clock ticks slowly.
  package func settledVersion() -> Version? {
    var (status, now) = (stat(), timespec())
    guard unsafe lstat(file.path, &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return nil }
    #if canImport(Darwin)
      let changed = status.st_ctimespec.tv_sec
    #else
      let changed = status.st_ctim.tv_sec
    #endif
    return abs(now.tv_sec - changed) >= 2 ? Version(status) : nil
  }

  /// Whether something has the name that this never wrote: a link, a pipe, or a file that is larger
  /// than it may be.
  package func isReplaced() throws(EngagementError) -> Bool {
    var status = stat()
    guard unsafe lstat(file.path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG || status.st_size > limit
  }

  /// The name of what was set aside last.
  package var damagedPath: String { "\(file.path).damaged" }

  /// Moves what has the name away, in place of what was moved away before.
  package func setAside() throws(EngagementError) {
    removeDamaged()
    guard unsafe rename(file.path, damagedPath) == 0 || errno == ENOENT else {
      throw StoreFile.failure(errno, of: file.subject)
    }
  }

  /// Removes what was set aside.
  package func removeDamaged() {
    if unsafe unlink(damagedPath) != 0 { unsafe rmdir(damagedPath) }
  }

  /// Replaces the file, or makes it. The bytes that were there are overwritten, as far as the
  /// file system does that in place.
  package func replace(with bytes: [UInt8]) throws(EngagementError) {
    guard bytes.count <= limit else {
      throw EngagementError(.invalidArgument, "There is no room in the \(file.subject)")
    }
    do throws(EngagementError) {
      try write(bytes)
      guard try exists() else { return try putInPlace() }
      let old = try OpenFile(file.path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, called: file.subject)
      try refuse(try old.status())
      try putInPlace()
      Self.overwrite(old)
    } catch {
      StoreFile.remove(nextPath)
      throw error
    }
  }
}

extension DurableFile {
  private var nextPath: String { "\(file.path).next" }

  /// Whether anything has the name, be it a link to nothing.
  private func exists() throws(EngagementError) -> Bool {
    var status = stat()
    if unsafe lstat(file.path, &status) == 0 { return true }
    guard errno == ENOENT else { throw StoreFile.failure(errno, of: file.subject) }
    return false
  }

  private func write(_ bytes: [UInt8]) throws(EngagementError) {
    let next = try OpenFile(
      nextPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, called: file.subject)
    try next.protect()
    try next.write(bytes)
    try next.sync()
  }

  private func putInPlace() throws(EngagementError) {
    guard unsafe rename(nextPath, file.path) == 0 else {
      throw EngagementError(
        .storage, "The \(file.subject) cannot be replaced", underlying: "errno \(errno)")
    }
    try file.syncFolder()
  }

  /// Overwrites the old file, which has no name any more.
  private static func overwrite(_ old: borrowing OpenFile) {
    do throws(EngagementError) {
      try old.write([UInt8](repeating: 0, count: Int(try old.status().st_size)))
      try old.syncBytes()
    } catch {
      // The new file is in its place and durable, which is what was asked for.
    }
  }
}

extension DurableFile {
  private func refuse(_ status: stat) throws(EngagementError) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable("is no plain file")
    }
    guard status.st_uid == geteuid() else {
      throw unreadable("belongs to another user; run as its owner")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw unreadable("can be reached by others; make it its owner's alone (chmod 600)")
    }
  }

  /// A user who may rename files in the folder could replace this one.
  private func refuseOpenFolder() throws(EngagementError) {
    guard let mode = try StoreFile.status(of: file.folder, called: file.subject)?.st_mode else {
      return
    }
    guard mode & 0o002 == 0 || mode & S_ISVTX != 0 else {
      throw unreadable("lies in a folder that everybody can write; close it (chmod o-w)")
    }
  }

  private func unreadable(_ reason: String) -> EngagementError {
    EngagementError(.unreadable, "The \(file.subject) \(reason)")
  }
}

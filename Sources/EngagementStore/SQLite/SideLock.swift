import EngagementModel
import EngagementPlatform

/// An exclusive lock on a file, such as one beside the cache. One holder at a time, over all
/// processes.
///
/// SQLite before 3.51.3 may lose a commit when one connection restarts the log while another
/// writes, so each write and each checkpoint holds this lock. The system releases it when its
/// holder dies.
struct SideLock: ~Copyable {
  private let path: String
  /// What errors call the thing that it guards.
  private let subject: String
  private var file: OpenFile

  init(at path: String, for subject: String = "cache") throws(EngagementError) {
    self.path = path
    self.subject = subject
    file = try Self.opened(path, subject)
  }

  /// Waits for the lock, and throws `busy` when that takes longer than it may.
  mutating func acquire(within wait: Duration) throws(EngagementError) {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: wait)
    var pause: useconds_t = 500
    while try !tryAcquire() {
      guard clock.now < deadline else {
        throw EngagementError(.busy, "Another process writes to the \(subject)")
      }
      // `flock` cannot wait for a time, and a signal to end it would be the whole process's.
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// As `acquire(within:)`, without blocking a thread of the shared pool; throws `cancelled` too.
  mutating func acquireAsleep(within wait: Duration) async throws(EngagementError) {
    let deadline = ContinuousClock.now.advanced(by: wait)
    while try !tryAcquire() {
      guard ContinuousClock.now < deadline else {
        throw EngagementError(.busy, "Another process uses the \(subject)")
      }
      do {
        try await Task.sleep(for: .milliseconds(2))
      } catch {
        throw EngagementError(.cancelled, "The wait for the \(subject) was cancelled")
      }
    }
  }

  func release() { _ = flock(file.descriptor, LOCK_UN) }

  /// Takes the lock if it is free, without waiting.
  mutating func tryAcquire() throws(EngagementError) -> Bool {
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw StoreFile.failure(errno, of: subject)
      }
      return false
    }
    if try isInPlace() { return true }
    // The file was removed: a lock on it would protect nothing.
    file = try Self.opened(path, subject)
    return false
  }

  private func isInPlace() throws(EngagementError) -> Bool {
    let own = try file.status()
    guard let named = try StoreFile.status(of: path, called: subject) else { return false }
    return named.st_ino == own.st_ino && named.st_dev == own.st_dev
  }

  // MARK: What took its name

  /// Opens the file. A folder, a link or a pipe of that name would keep every process out, and is
  /// set aside.
  private static func opened(_ path: String, _ subject: String) throws(EngagementError) -> OpenFile
  {
    if try isStranger(path, subject) { try setAsideStranger(path, subject) }
    // `O_NONBLOCK`: a pipe of that name would block `open`.
    return try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, called: subject)
  }

  /// Whether something other than a file has the name.
  static func isStranger(_ path: String, _ subject: String) throws(EngagementError) -> Bool {
    try StoreFile.status(of: path, called: subject, followsLinks: false)
      .map { $0.st_mode & S_IFMT != S_IFREG } ?? false
  }

  /// Renames it while the folder is locked, so that no other process takes the new file for it.
  private static func setAsideStranger(_ path: String, _ subject: String) throws(EngagementError) {
    let folder = try OpenFile(
      try StoreFile(path, called: subject).folder, O_RDONLY | O_DIRECTORY, called: subject)
    guard flock(folder.descriptor, LOCK_EX) == 0 else {
      throw StoreFile.failure(errno, of: subject)
    }
    defer { _ = flock(folder.descriptor, LOCK_UN) }
    guard try isStranger(path, subject),
      let status = try StoreFile.status(of: path, called: subject, followsLinks: false)
    else { return }
    let place = "\(path).set-aside-\(String(status.st_ino, radix: 16))"
    guard unsafe rename(path, place) == 0 else { throw StoreFile.failure(errno, of: subject) }
  }
}

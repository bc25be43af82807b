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
    file = try OpenFile(path, Self.flags, called: subject)
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
    file = try OpenFile(path, Self.flags, called: subject)
    return false
  }

  private func isInPlace() throws(EngagementError) -> Bool {
    let own = try file.status()
    guard let named = try StoreFile.status(of: path, called: subject) else { return false }
    return named.st_ino == own.st_ino && named.st_dev == own.st_dev
  }

  // `O_NONBLOCK`: a pipe of that name would block `open`.
  private static let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
}

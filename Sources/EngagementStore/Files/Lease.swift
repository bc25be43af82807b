package import EngagementModel

/// The right to send what is in the outbox of a cache: one holder at a time, over all processes.
///
/// The system takes it back when its holder dies, however that comes about, so no clock is in it
/// and nothing has to be renewed. It also ends with the last reference.
package final class Lease: Sendable {
  private let held: Locked<Held>

  /// What changes, behind the lock.
  private final class Held {
    var lock: SideLock
    init(_ lock: consuming SideLock) { self.lock = lock }
  }

  /// Opens the lease of the cache at a path, and does not take it yet.
  package init(ofCacheAt path: String) throws(EngagementError) {
    let file = try StoreFile(path)
    try file.makeFolder()
    held = Locked(Held(try SideLock(at: "\(file.path).courier", for: "outbox")))
  }

  /// Takes the lease where nobody else has it, without waiting. Holding it already is holding it.
  package func tryAcquire() throws(EngagementError) -> Bool {
    try held.withLock { (held) throws(EngagementError) in
      // Twice: the first attempt may find that the file was removed, and makes it again.
      if try held.lock.tryAcquire() { return true }
      return try held.lock.tryAcquire()
    }
  }

  /// Leaves it to others. Nothing happens where it is not held.
  package func release() { held.withLock { $0.lock.release() } }
}

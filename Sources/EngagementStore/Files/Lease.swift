package import EngagementModel

/// The right to do one thing with a cache: one holder at a time, among all processes.
///
/// The system releases it when its holder dies, so it needs no clock and no renewal. It also ends
/// with the last reference.
package final class Lease: Sendable {
  private let held: Locked<Held>

  /// What changes, behind the lock.
  private final class Held {
    var lock: SideLock
    init(_ lock: consuming SideLock) { self.lock = lock }
  }

  /// What the holder may do.
  package enum Right: String, Sendable {
    /// Send the outbox.
    case sending = "courier"
    /// Present campaigns.
    case presenting = "presenter"

    /// What its errors name.
    fileprivate var subject: String {
      switch self {
      case .sending: "outbox"
      case .presenting: "campaigns"
      }
    }
  }

  /// Opens a lease of the cache at a path, and does not take it yet.
  package init(_ right: Right, ofCacheAt path: String) throws(EngagementError) {
    let file = try StoreFile(path)
    try file.makeFolder()
    held = Locked(Held(try SideLock(at: "\(file.path).\(right.rawValue)", for: right.subject)))
  }

  /// Takes the lease if it is free, without waiting. True also for the holder.
  package func tryAcquire() throws(EngagementError) -> Bool {
    try held.withLock { (held) throws(EngagementError) in
      // Twice: the first attempt may find that the file was removed, and makes it again.
      if try held.lock.tryAcquire() { return true }
      return try held.lock.tryAcquire()
    }
  }

  /// Releases the lease, if it is held.
  package func release() { held.withLock { $0.lock.release() } }
}

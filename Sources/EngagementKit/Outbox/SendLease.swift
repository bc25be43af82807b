import EngagementModel
import EngagementStore

/// Lets one process at a time do one thing with a cache, such as sending its outbox.
protocol SendLease: Sendable {
  /// Takes it without waiting; false if another process has it.
  func tryAcquire() throws(EngagementError) -> Bool
  func release()
}

/// The lease of a process, shared by all its parts that need it.
final class SharedLease: Sendable {
  private let lease: any SendLease
  private let holders = Locked(0)

  init(_ lease: any SendLease) { self.lease = lease }

  /// Whether the caller may go on. If so, it has to call `release()`.
  func tryAcquire() throws(EngagementError) -> Bool {
    try holders.withLock { (holders) throws(EngagementError) in
      if holders == 0 {
        guard try lease.tryAcquire() else { return false }
      }
      holders += 1
      return true
    }
  }

  func release() {
    holders.withLock { holders in
      holders -= 1
      if holders == 0 { lease.release() }
    }
  }
}

extension Lease: SendLease {}

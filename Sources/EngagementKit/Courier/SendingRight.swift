import EngagementModel
import EngagementStore

/// The right to send what is in a cache: one holder at a time, over all processes.
protocol SendingRight: Sendable {
  /// Takes it where nobody else has it, without waiting.
  func tryAcquire() throws(EngagementError) -> Bool
  func release()
}

/// The one right of a process, for all in it who send.
final class SharedRight: Sendable {
  private let right: any SendingRight
  private let holders = Locked(0)

  init(_ right: any SendingRight) { self.right = right }

  /// Whether there is one more who may send; each gives it back.
  func tryAcquire() throws(EngagementError) -> Bool {
    try holders.withLock { (holders) throws(EngagementError) in
      if holders == 0 {
        guard try right.tryAcquire() else { return false }
      }
      holders += 1
      return true
    }
  }

  func release() {
    holders.withLock { holders in
      holders -= 1
      if holders == 0 { right.release() }
    }
  }
}

extension Lease: SendingRight {}

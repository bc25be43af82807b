import EngagementModel

/// Limits how many fetches proceed at one time.
final class TransferSlots: Sendable {
  private let free: Locked<Int>
  private let freed = AsyncSignal()

  init(_ count: Int) { free = Locked(count) }

  /// Waits for a free slot. Throws `cancelled` and takes none if the task is cancelled first.
  func enter() async throws(EngagementError) {
    while true {
      let count = freed.count
      if Task.isCancelled { throw FileCache.cancelled }
      if take() { return }
      await freed.wait(after: count)
    }
  }

  func leave() {
    free.withLock { $0 += 1 }
    freed.fire()
  }

  private func take() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }
}

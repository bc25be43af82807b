import EngagementModel

/// Runs changes of user one at a time, in the order in which they were asked for.
final class UserChangeQueue: Sendable {
  private let latest = Locked(0)
  private let mutex = AsyncMutex()

  /// How many changes wait.
  var waiting: Int { mutex.waiting }

  /// Runs the change when it is first in the queue.
  ///
  /// Throws `conflict` if another change was asked for meanwhile, `cancelled` if the task was
  /// cancelled.
  func inTurn<Result>(
    _ body: (_ isLatest: () -> Bool) async throws(EngagementError) -> Result
  ) async throws(EngagementError) -> Result {
    let ticket = latest.withLock { latest in
      latest += 1
      return latest
    }
    await mutex.lock()
    defer { mutex.unlock() }
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
    guard isLatest(ticket) else { throw Self.superseded }
    return try await body { self.isLatest(ticket) }
  }

  /// Runs a body while no change of user runs. It takes precedence over none.
  func alone(
    _ body: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    await mutex.lock()
    defer { mutex.unlock() }
    try await body()
  }

  /// The error of every change but the last.
  static let superseded = EngagementError(
    .conflict, "Another change of user was asked for after this one.")

  private func isLatest(_ ticket: Int) -> Bool { latest.withLock { $0 == ticket } }
}

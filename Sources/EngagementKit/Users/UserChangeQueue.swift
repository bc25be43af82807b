import EngagementModel

/// Runs changes of user one at a time, in the order in which they were asked for.
final class UserChangeQueue: Sendable {
  private let latest = Locked(0)
  private let mutex = AsyncMutex()
  /// The change that runs.
  private let running = Locked<Change?>(nil)
  /// The change that the task is part of. A source of credentials is asked in such a task.
  @TaskLocal private static var current: Change?

  /// One change of user.
  private final class Change: Sendable {}

  /// How many changes wait.
  var waiting: Int { mutex.waiting }

  /// Runs the change when it is first in the queue.
  ///
  /// Throws `conflict` if another change was asked for meanwhile, `cancelled` if the task was
  /// cancelled.
  func inTurn<Value>(
    _ body: (_ isLatest: () -> Bool) async throws(EngagementError) -> Value
  ) async throws(EngagementError) -> Value {
    let ticket = latest.withLock { latest in
      latest += 1
      return latest
    }
    await mutex.lock()
    defer { mutex.unlock() }
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
    guard isLatest(ticket) else { throw Self.superseded }
    let change = Change()
    running.withLock { $0 = change }
    defer { running.withLock { $0 = nil } }
    return try await Self.$current.withValue(change) {
      do throws(EngagementError) {
        return Result<Value, EngagementError>.success(try await body { self.isLatest(ticket) })
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Runs a body while no change of user runs. It takes precedence over none.
  ///
  /// What the change itself asks for does not wait for its end, which would never come.
  func alone<Value>(
    _ body: () async throws(EngagementError) -> Value
  ) async throws(EngagementError) -> Value {
    if let change = Self.current, running.withLock({ $0 === change }) { return try await body() }
    await mutex.lock()
    defer { mutex.unlock() }
    return try await body()
  }

  /// The error of every change but the last.
  static let superseded = EngagementError(
    .conflict, "Another change of user was asked for after this one.")

  private func isLatest(_ ticket: Int) -> Bool { latest.withLock { $0 == ticket } }
}

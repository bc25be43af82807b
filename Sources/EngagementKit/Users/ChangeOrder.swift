import EngagementModel

/// Lets one change of user happen at a time, in the order in which they were asked for, and knows
/// which is the last.
final class ChangeOrder: Sendable {
  private let latest = Locked(0)
  private let turns = Turns()

  /// How many wait for their turn.
  var waiting: Int { turns.waiting }

  /// Does the change when its turn has come.
  ///
  /// Throws `conflict` when another was asked for meanwhile, `cancelled` when the task was.
  func inTurn<Result>(
    _ body: (_ isLatest: () -> Bool) async throws(EngagementError) -> Result
  ) async throws(EngagementError) -> Result {
    let ticket = latest.withLock { latest in
      latest += 1
      return latest
    }
    await turns.take()
    defer { turns.pass() }
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
    guard isLatest(ticket) else { throw Self.superseded }
    return try await body { self.isLatest(ticket) }
  }

  /// What is told to all but the last.
  static let superseded = EngagementError(
    .conflict, "Another change of user was asked for after this one.")

  private func isLatest(_ ticket: Int) -> Bool { latest.withLock { $0 == ticket } }
}

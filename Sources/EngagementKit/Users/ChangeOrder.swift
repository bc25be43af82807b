import EngagementModel

/// Lets one change of user happen at a time, in the order in which they were asked for, and knows
/// which is the last.
final class ChangeOrder: Sendable {
  private struct State {
    var latest = 0
    var isTaken = false
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// How many wait for their turn.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Does the change when its turn has come.
  ///
  /// Throws `conflict` when another was asked for meanwhile, `cancelled` when the task was.
  func inTurn<Result>(
    _ body: (_ isLatest: () -> Bool) async throws(EngagementError) -> Result
  ) async throws(EngagementError) -> Result {
    let ticket = state.withLock { state in
      state.latest += 1
      return state.latest
    }
    await turn(of: ticket)
    defer { pass() }
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
    guard isLatest(ticket) else { throw Self.superseded }
    return try await body { self.isLatest(ticket) }
  }

  /// What is told to all but the last.
  static let superseded = EngagementError(
    .conflict, "Another change of user was asked for after this one.")

  private func isLatest(_ ticket: Int) -> Bool { state.withLock { $0.latest == ticket } }

  /// Waits for the turn; a cancelled task, too, waits for it and passes it on.
  private func turn(of ticket: Int) async {
    await withCheckedContinuation { continuation in
      let isMine = state.withLock { state in
        if state.isTaken { state.waiting.append((ticket, continuation)) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isMine { continuation.resume() }
    }
  }

  private func pass() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}

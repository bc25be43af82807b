import EngagementKit
import EngagementModel

/// Delivers the pending rows user by user, and prints the number of remaining ones.
struct Draining {
  let application: Application
  let users: [String]

  /// Each user has two turns, because a user's remaining rows are sent at the next sign-in.
  private static let turns = 2
  private static let patience = Duration.seconds(10)

  func run() async throws(EngagementError) {
    for turn in 1...Self.turns {
      for user in users {
        try await application.signIn(user)
        if user == Application.undecided { try await application.decide(.full) }
        let left = try await wait()
        if turn == Self.turns { say("left \(user) \(left)") }
      }
    }
  }

  private func wait() async throws(EngagementError) -> Int {
    let end = ContinuousClock.now + Self.patience
    while true {
      let left = try await application.engagement.pendingCounts.values.reduce(0, +)
      if left == 0 || ContinuousClock.now > end { return left }
      // The task is never cancelled before the process ends.
      try? await Task.sleep(for: .milliseconds(3))
    }
  }
}

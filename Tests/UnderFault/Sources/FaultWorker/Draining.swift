import EngagementKit
import EngagementModel

/// Delivers what is pending, user by user, and says what is left.
struct Draining {
  let application: Application
  let users: [String]

  /// What one user leaves undone when another signs in is sent when they are back, so that each
  /// of them has two turns.
  private static let turns = 2
  private static let patience = Duration.seconds(10)

  func run() async throws(EngagementError) {
    for turn in 1...Self.turns {
      for user in users {
        try await application.signIn(user)
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
      // Cancelled only together with the process.
      try? await Task.sleep(for: .milliseconds(3))
    }
  }
}

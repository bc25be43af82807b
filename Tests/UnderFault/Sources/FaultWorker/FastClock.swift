import EngagementKit
import Foundation

/// A clock with a faster uptime than the machine's, so that a back-off of a minute fits into a life
/// of a tenth of a second. The wall clock is the machine's.
struct FastClock: EngagementClock {
  private static let rate = 200
  private static let start = ContinuousClock.now

  var now: Date { Date() }

  var uptime: Duration { (ContinuousClock.now - Self.start) * Self.rate }

  func sleep(until uptime: Duration) async {
    // A cancelled task wakes early.
    try? await Task.sleep(until: Self.start + uptime / Self.rate, clock: .continuous)
  }
}

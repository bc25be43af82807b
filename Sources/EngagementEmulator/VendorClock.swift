import EngagementPlatform

/// The vendors' clock: the machine's and a difference, or one that stands still.
struct VendorClock: Sendable {
  private let standing: Date?
  private(set) var difference = 0.0

  init(standingAt standing: Date?) { self.standing = standing }

  /// Whether it moves only when it is told to.
  var isStanding: Bool { standing != nil }

  var now: Date { (standing ?? Date()).addingTimeInterval(difference) }

  mutating func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    difference += Double(seconds) + Double(attoseconds) / 1e18
  }

  mutating func set(to date: Date) { difference += date.timeIntervalSince(now) }
}

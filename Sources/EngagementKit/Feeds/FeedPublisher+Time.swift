import EngagementModel
import EngagementPlatform
import EngagementStore

extension FeedPublisher {
  /// Updates the feeds when items expire or become visible, until the task is cancelled.
  ///
  /// It sleeps by the uptime and checks the wall clock at least once a minute. If that was set, all
  /// feeds are loaded again.
  func keepTime() async {
    var watch = ClockChangeDetector(clock)
    var seen = signal.count
    while !Task.isCancelled {
      await signal.wait(after: seen, until: clock.uptime + nap, by: clock)
      seen = signal.count
      guard !Task.isCancelled, let feedState else { continue }
      let wasSet = watch.wasSet(clock)
      let keys = wasSet ? feedState.keys : feedState.due(at: clock.now)
      guard !keys.isEmpty else { continue }
      await showOrLog(keys, to: feedState.userSession)
    }
  }

  /// The time until the next change, at most a minute. If a change is due and could not be shown,
  /// one second.
  private var nap: Duration {
    guard let end = feedState?.validUntil else { return Self.longestNap }
    let seconds = end.timeIntervalSince(clock.now)
    // Compared before it is converted: a far date is more than a Duration of nanoseconds holds.
    guard seconds < 60 else { return Self.longestNap }
    return seconds > 0 ? .seconds(seconds) : .seconds(1)
  }

  private static let longestNap: Duration = .seconds(60)
}

/// Detects that the wall clock was set.
struct ClockChangeDetector {
  private var wall: Date
  private var uptime: Duration

  init(_ clock: any EngagementClock) {
    wall = clock.now
    uptime = clock.uptime
  }

  /// Whether the wall clock and the uptime have moved differently since the last call.
  mutating func wasSet(_ clock: any EngagementClock) -> Bool {
    let (now, up) = (clock.now, clock.uptime)
    let drift = now.timeIntervalSince(wall) - (up - uptime).seconds
    (wall, uptime) = (now, up)
    return abs(drift) > 2
  }
}

extension Duration {
  /// In seconds, as dates count them.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

import EngagementModel
import EngagementPlatform
import EngagementStore

extension FeedPublisher {
  /// Shows what appears and disappears by time alone, for as long as the task runs.
  ///
  /// It sleeps by the uptime and looks at the wall clock at least once a minute: when that was
  /// set, everything is read anew.
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

  /// Until the next change, and at most a minute. A change that is due and could not be shown is
  /// tried again every second.
  private var nap: Duration {
    guard let end = feedState?.validUntil else { return Self.longestNap }
    let seconds = end.timeIntervalSince(clock.now)
    // Compared before it is converted: a far date is more than a Duration of nanoseconds holds.
    guard seconds < 60 else { return Self.longestNap }
    return seconds > 0 ? .seconds(seconds) : .seconds(1)
  }

  private static let longestNap: Duration = .seconds(60)
}

/// Notices when somebody sets the wall clock.
struct ClockChangeDetector {
  private var wall: Date
  private var uptime: Duration

  init(_ clock: any EngagementClock) {
    wall = clock.now
    uptime = clock.uptime
  }

  /// Whether the wall clock moved otherwise than time passed, since the last time.
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

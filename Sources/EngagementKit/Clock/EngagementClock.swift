public import EngagementPlatform

/// The library's only clock.
public protocol EngagementClock: Sendable {
  /// The wall clock: it may jump, in either direction.
  var now: Date { get }

  /// The time since some fixed point. It never goes back and no user can set it. Delays and
  /// time-outs are measured by it.
  var uptime: Duration { get }

  /// Returns when `uptime` has come that far, or as soon as the task is cancelled.
  func sleep(until uptime: Duration) async
}

extension Engagement {
  /// The machine's own clocks. The uptime is that of the machine, the same in all its programs.
  public struct SystemClock: EngagementClock {
    private static let start = ContinuousClock.now - machineUptime()

    public init() {}

    public var now: Date { Date() }

    public var uptime: Duration { ContinuousClock.now - Self.start }

    private static func machineUptime() -> Duration {
      #if os(Linux) || os(Android)
        let clock = CLOCK_BOOTTIME
      #else
        let clock = CLOCK_MONOTONIC
      #endif
      var time = timespec()
      guard unsafe clock_gettime(clock, &time) == 0 else { return .zero }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What no program waits for; a sleep traps for much longer times.
    private static let longest = Duration.seconds(1_000_000_000)

    public func sleep(until uptime: Duration) async {
      let uptime = min(uptime, Self.longest)
      // Ends early only when the task is cancelled; the caller checks for that next.
      try? await Task.sleep(until: Self.start + uptime, clock: .continuous)
    }
  }
}

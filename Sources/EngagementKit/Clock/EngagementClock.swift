public import FoundationEssentials

/// The time, as the library is told of it. Nothing in it reads any other clock.
public protocol EngagementClock: Sendable {
  /// The wall clock: it may jump, in either direction.
  var now: Date { get }

  /// The time since some fixed point. It never goes back and nobody sets it; delays and time-outs
  /// are measured by it.
  var uptime: Duration { get }

  /// Returns when `uptime` has come that far, or as soon as the task is cancelled.
  func sleep(until uptime: Duration) async
}

/// The machine's own clocks.
public struct SystemClock: EngagementClock {
  private static let start = ContinuousClock.now

  public init() {}

  public var now: Date { Date() }

  public var uptime: Duration { ContinuousClock.now - Self.start }

  public func sleep(until uptime: Duration) async {
    // Ends early only when the task is cancelled, which whoever sleeps looks at next.
    try? await Task.sleep(until: Self.start + uptime, clock: .continuous)
  }
}

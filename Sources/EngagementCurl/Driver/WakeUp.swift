import EngagementPlatform

/// When the thread that drives wakes by itself.
struct WakeUp {
  private let poller: Poller
  private let clock = SuspendingClock()
  private var planned: SuspendingClock.Instant?

  init(_ poller: Poller) { self.poller = poller }

  /// How many milliseconds the thread may wait for events; negative for no limit.
  ///
  /// The thread keeps an earlier planned wake-up. The alarm of the next request is then rarely
  /// earlier, so the caller does not have to wake the thread for it.
  mutating func pause(until alarm: SuspendingClock.Instant?) -> Int32 {
    let now = clock.now
    if let planned, planned > now {
      self.planned = min(planned, alarm ?? planned)
    } else {
      planned = alarm
    }
    return planned.map { $0 > now ? Self.milliseconds($0 - now) : 0 } ?? -1
  }

  /// Wakes the thread if it would sleep past the alarm.
  mutating func keep(_ alarm: SuspendingClock.Instant?) {
    guard let alarm, planned.map({ alarm < $0 }) ?? true else { return }
    planned = alarm
    poller.ring()
  }

  /// Rounded up: if the thread woke early, it would have to wait again.
  private static func milliseconds(_ time: Duration) -> Int32 {
    let (seconds, attoseconds) = time.components
    let whole = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
    return Int32(clamping: whole)
  }
}

import EngagementPlatform

/// Detects a dead peer of a socket.
struct AtomicPulse {
  /// After a silence of this length a ping is sent. After another one the peer counts as dead.
  static let silence = Duration.seconds(30)
  /// After a silence of this length the peer is dead even without a ping, because timers do not run
  /// while a device sleeps.
  private static let longest = 65.0

  private var lastHeard: Date?
  private var pingedAt: Date?

  /// What to do when the timer fires.
  enum Beat {
    /// The peer sent something meanwhile: check again after the rest.
    case quiet(Duration)
    case ping
    case dead
  }

  mutating func heard(at now: Date) {
    lastHeard = now
    pingedAt = nil
  }

  func isStale(at now: Date) -> Bool { silence(at: now) >= Self.longest }

  mutating func beat(at now: Date) -> Beat {
    if isStale(at: now) || pingedAt != nil { return .dead }
    let left = 30 - silence(at: now)
    if left > 0 { return .quiet(.seconds(left)) }
    pingedAt = now
    return .ping
  }

  /// The seconds since the last message; zero if the clock was set back.
  private func silence(at now: Date) -> Double {
    lastHeard.map { max(0, now.timeIntervalSince($0)) } ?? 0
  }
}

/// The delays before a socket is opened again after a server error.
struct AtomicBackOff {
  private static let delays: [Duration] = [.milliseconds(100), .seconds(15), .seconds(60)]
  private var failures = 0

  /// The next delay; nil after the last one.
  mutating func next() -> Duration? {
    guard failures < Self.delays.count else { return nil }
    defer { failures += 1 }
    return Self.delays[failures]
  }

  mutating func reset() { failures = 0 }
}

/// Limits how often the socket may ask the application for a token.
struct AtomicRenewals {
  /// The limit is ours.
  private static let interval = 30.0
  private var lastAsked: Date?

  mutating func mayAsk(at now: Date) -> Bool {
    if let lastAsked, (0..<Self.interval).contains(now.timeIntervalSince(lastAsked)) {
      return false
    }
    lastAsked = now
    return true
  }
}

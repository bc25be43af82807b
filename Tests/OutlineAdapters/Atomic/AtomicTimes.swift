import FoundationEssentials

/// Whether the peer of a socket is still there.
struct AtomicPulse {
  /// After this long without a word a ping is sent, and after as long again the peer is given up.
  static let silence = Duration.seconds(30)
  /// A peer that was not heard for this long is gone, whatever became of the ping: timers do not
  /// run while a device sleeps.
  private static let longest = 65.0

  private var lastHeard: Date?
  private var pingedAt: Date?

  /// What to do when the timer has run out.
  enum Beat {
    /// Somebody spoke meanwhile: look again after the rest.
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

  /// In seconds; nothing where the clock was put back.
  private func silence(at now: Date) -> Double {
    lastHeard.map { max(0, now.timeIntervalSince($0)) } ?? 0
  }
}

/// How long to wait before a socket that the server closed in trouble is opened again.
struct AtomicBackOff {
  private static let delays: [Duration] = [.milliseconds(100), .seconds(15), .seconds(60)]
  private var failures = 0

  /// Nil once it was tried often enough.
  mutating func next() -> Duration? {
    guard failures < Self.delays.count else { return nil }
    defer { failures += 1 }
    return Self.delays[failures]
  }

  mutating func reset() { failures = 0 }
}

/// How often an application may be asked for a token for the sake of a socket.
struct AtomicRenewals {
  /// A limit of ours.
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

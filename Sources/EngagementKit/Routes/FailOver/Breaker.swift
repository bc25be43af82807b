import EngagementModel

/// Whether one operation of a provider is asked for, decided from how its requests ended.
///
/// All times are uptimes, so that nothing changes when the wall clock is set. An uptime that is still to
/// come is from before the machine was started again.
struct Breaker: Hashable, Sendable {
  /// When requests failed, the last one last.
  private(set) var failures: [Duration] = []
  /// When the cool-down began; nil while requests go to the provider.
  private(set) var openedAt: Duration?
  /// When the request that tries the provider was begun.
  private(set) var probedAt: Duration?

  init(failures: [Duration] = [], openedAt: Duration? = nil, probedAt: Duration? = nil) {
    self.failures = failures
    self.openedAt = openedAt
    self.probedAt = openedAt == nil ? nil : probedAt
  }

  /// How a request ended, as far as it tells whether the provider is ready.
  enum Finding: Hashable, Sendable {
    case answered
    case failed
    /// It tells neither, such as a pause that the vendor asked for.
    case neither
  }

  enum Phase: Hashable, Sendable {
    case closed
    /// Not asked for that long.
    case coolingDown(Duration)
    /// One request may try it.
    case due
    /// One request tries it.
    case probing
  }

  /// A process that was killed leaves its probe; no request takes this long.
  static let longestProbe = Duration.seconds(120)

  var isClosed: Bool { openedAt == nil }

  func phase(at now: Duration, under rules: FailOver) -> Phase {
    guard let openedAt else { return .closed }
    if let probedAt, now.isWithin(Self.longestProbe, after: probedAt) { return .probing }
    guard now.isWithin(rules.coolDown, after: openedAt) else { return .due }
    return .coolingDown(rules.coolDown - (now - openedAt))
  }

  /// Whether a request may be sent. An open breaker lets one through, and no other until it has ended.
  mutating func admit(at now: Duration, under rules: FailOver) -> Bool {
    switch phase(at: now, under: rules) {
    case .closed: return true
    case .due:
      probedAt = now
      return true
    case .coolingDown, .probing: return false
    }
  }

  mutating func note(_ finding: Finding, at now: Duration, under rules: FailOver) {
    switch finding {
    case .answered:
      // While it is closed, earlier failures count as long as they are in the window.
      if !isClosed { self = Breaker() }
    case .failed:
      let counted = failures.filter { now.isWithin(rules.window, after: $0) } + [now]
      failures = Array(counted.suffix(rules.failures))
      if !isClosed || failures.count >= rules.failures { open(at: now) }
    case .neither:
      if probedAt != nil { open(at: now) }
    }
  }

  /// Takes that the machine was started again: failures are of an unknown age, and a cool-down is over.
  mutating func noteStart() {
    self = Breaker(openedAt: isClosed ? nil : Self.beforeStart)
  }

  /// An uptime that never comes.
  private static let beforeStart = Duration.milliseconds(Int64.max)

  private mutating func open(at now: Duration) {
    openedAt = now
    probedAt = nil
  }
}

extension Duration {
  /// Whether less than `length` has passed since the moment. False for a moment that is to come.
  fileprivate func isWithin(_ length: Duration, after moment: Duration) -> Bool {
    moment <= self && self - moment < length
  }
}

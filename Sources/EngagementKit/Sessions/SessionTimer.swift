import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// A point in time on both clocks.
struct ClockReading: Hashable, Sendable {
  var wall: Date
  var uptime: Duration

  init(wall: Date, uptime: Duration) {
    self.wall = wall
    self.uptime = uptime
  }

  init(_ clock: any EngagementClock) {
    self.init(wall: clock.now, uptime: clock.uptime)
  }
}

/// Decides when a usage session begins and ends. The session continues while the application is in
/// use, and ends when it was out of use for the time-out.
///
/// Absence and length are measured by the uptime. Over a restart there is only the wall clock,
/// whose time is used where it is plausible. The timer reads no clock itself.
struct SessionTimer: Sendable {
  /// How long the application may be out of use. A change also applies to a current absence.
  var timeout: Duration
  private(set) var session: Session?
  private(set) var isActive = false
  /// When the application was last known to be in use.
  private var seen: ClockReading?
  private var length: Duration = .zero
  private var previousLength: Duration?
  private var hadSession = false
  /// The last sessions that ended, for what happened in them and is not sent yet.
  private(set) var former: [Session] = []
  static let formerCount = 10

  init(timeout: Duration) { self.timeout = timeout }

  /// An event to record.
  enum Happening: Hashable, Sendable {
    case began(Session)
    /// With its length and when the application was last in use.
    case ended(Session, length: Duration, at: Date)

    var time: Date {
      switch self {
      case .began(let session): session.startedAt
      case .ended(_, _, let date): date
      }
    }
  }

  /// When the session ends if the application is not used until then; nil while it is in use.
  var deadline: Duration? {
    guard session != nil, !isActive, let seen else { return nil }
    return seen.uptime + timeout
  }

  /// The application is in use.
  mutating func activate(at moment: ClockReading, id: () -> SessionID) -> [Happening] {
    let happenings = touch(at: moment, id: id)
    isActive = true
    return happenings
  }

  /// The application did something, perhaps out of the user's sight. A session that is out of use
  /// continues, and without one another begins.
  mutating func touch(at moment: ClockReading, id: () -> SessionID) -> [Happening] {
    var happenings = advance(to: moment)
    if session == nil {
      happenings.append(begin(at: moment, id()))
    } else if !isActive, let seen {
      length += moment.uptime - seen.uptime
    }
    seen = moment
    return happenings
  }

  /// The application is not in use any more, for now.
  mutating func deactivate(at moment: ClockReading) -> [Happening] {
    let happenings = advance(to: moment)
    isActive = false
    return happenings
  }

  /// Time has passed.
  mutating func advance(to moment: ClockReading) -> [Happening] {
    guard session != nil, let seen else { return [] }
    let passed = max(moment.uptime - seen.uptime, .zero)
    if isActive {
      length += passed
      self.seen = moment
      return []
    }
    return passed >= timeout ? end() : []
  }

  /// The session ends now, whether the application is in use or not.
  mutating func end(at moment: ClockReading) -> [Happening] {
    let happenings = advance(to: moment)
    if session != nil { seen = moment }
    return happenings + end()
  }

  private mutating func begin(at moment: ClockReading, _ id: SessionID) -> Happening {
    let session = Session(
      id, startedAt: moment.wall, isFirst: !hadSession, previousLength: previousLength)
    self.session = session
    length = .zero
    hadSession = true
    return .began(session)
  }

  private mutating func end() -> [Happening] {
    guard let session, let seen else { return [] }
    self.session = nil
    isActive = false
    previousLength = length
    former = (former + [session]).suffix(Self.formerCount)
    return [.ended(session, length: length, at: seen.wall)]
  }
}

extension SessionTimer {
  /// The state that is stored over a restart.
  struct Kept: Hashable, Sendable {
    /// The current session; nil between two.
    var session: Session?
    var seenAt: Date?
    var length: Duration
    var previousLength: Duration?
    /// The last sessions that ended.
    var former: [Session] = []
  }

  /// The state to store; nil before the first session.
  var kept: Kept? {
    guard hadSession else { return nil }
    return Kept(
      session: session, seenAt: seen?.wall, length: length, previousLength: previousLength,
      former: former)
  }

  /// Continues after a restart. The stored session goes on, unless the application was away for the
  /// time-out or the wall clock was set by as much.
  mutating func resume(_ kept: Kept, at moment: ClockReading) -> [Happening] {
    hadSession = true
    previousLength = kept.previousLength
    former = kept.former
    guard let session = kept.session, let seenAt = kept.seenAt else { return [] }
    self.session = session
    length = kept.length
    let away = moment.wall.timeIntervalSince(seenAt)
    guard abs(away) < timeout.seconds else {
      seen = ClockReading(wall: seenAt, uptime: moment.uptime)
      return end()
    }
    seen = ClockReading(wall: seenAt, uptime: moment.uptime - .seconds(max(away, 0)))
    return []
  }

  /// Continues with the session that the processes of the cache have stored, if it is another one.
  mutating func follow(_ kept: Kept, at moment: ClockReading) -> [Happening] {
    guard kept.session?.id != session?.id else { return [] }
    // In use here, while another process saw no use of it.
    if isActive, kept.session == nil { return [] }
    session = nil
    return resume(kept, at: moment)
  }
}

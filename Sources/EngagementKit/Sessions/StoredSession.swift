import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// One provider's session as the processes of a cache have stored it. A process settles its own
/// notes with it before it records them, so that one session begins and ends once.
struct StoredSession {
  private(set) var kept: SessionTimer.Kept
  private let timeout: Duration
  /// The time of settling.
  private let now: Date
  /// The sessions that this process began while another process's went on.
  private(set) var replaced: [SessionID: SessionID] = [:]

  init(_ kept: SessionTimer.Kept, timeout: Duration, at now: Date) {
    self.kept = kept
    self.timeout = timeout
    self.now = now
  }

  /// What is to be recorded, and when it happened.
  struct Settled {
    var happening: SessionTimer.Happening
    var time: Date
  }

  /// A session that began in this process. Another process's session that is still in use goes on
  /// in its place.
  mutating func began(_ session: Session, at time: Date) -> [Settled] {
    var settled: [Settled] = []
    if let present = kept.session, present.id != session.id {
      if isInUse(at: time) {
        replaced[session.id] = present.id
        kept.seenAt = max(kept.seenAt ?? time, time)
        return []
      }
      settled += ended(present, length: kept.length, at: kept.seenAt ?? time)
    }
    kept.session = session
    kept.seenAt = time
    kept.length = .zero
    return settled + [Settled(happening: .began(session), time: time)]
  }

  /// A session that ended in this process. Nothing is recorded if another process has ended it, or
  /// has used it since.
  mutating func ended(_ session: Session, length: Duration, at time: Date) -> [Settled] {
    guard let present = kept.session, present.id == name(of: session.id) else { return [] }
    if let seenAt = kept.seenAt, seenAt.timeIntervalSince(time) > Self.tolerance,
      isInUse(at: now)
    {
      return []
    }
    kept.session = nil
    kept.previousLength = length
    kept.former = (kept.former + [present]).suffix(SessionTimer.formerCount)
    return [Settled(happening: .ended(present, length: length, at: time), time: time)]
  }

  /// The session's name for all processes.
  func name(of session: SessionID) -> SessionID { replaced[session] ?? session }

  private func isInUse(at time: Date) -> Bool {
    kept.seenAt.map { abs(time.timeIntervalSince($0)) < timeout.seconds } ?? false
  }

  /// Times are stored with less precision than they are measured with.
  private static let tolerance = 1.0
}

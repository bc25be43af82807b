import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The usage sessions and impressions of one installation, as a value. It takes the reports of the
/// application and gives the events to record.
///
/// Each provider has its own session, since vendors do not agree on the time-out. The kit has one
/// more. Impressions are counted in it, so that they are counted alike for every vendor.
struct SessionTracker: Sendable {
  private(set) var partition: Partition
  private var generation: Int
  private var clocks: [ProviderID: SessionTimer]
  private var meter = ImpressionMeter()
  /// The items of which something is visible.
  private var visible: Set<ItemID> = []
  /// The user's items of which something was visible since the process began.
  private(set) var displayed: Set<ItemID> = []
  /// The last reported phase; nil before the first report.
  private var phase: ScenePhase?
  private var notes: [Note] = []

  /// The owner of the kit's own session, beside those of the providers.
  static let kit = KitState.owner
  /// The time-out of the kit's own session.
  static let kitTimeout: Duration = .seconds(1800)
  /// How many unrecorded notes are kept. Beyond that the oldest are dropped.
  static let capacity = 1_000

  /// An event to record.
  struct Note: Hashable, Sendable {
    var partition: Partition
    var fact: Fact
    var time: Date
    /// The sessions at that time.
    var sessions: [ProviderID: SessionID]

    enum Fact: Hashable, Sendable {
      case launched
      case began(ProviderID, Session)
      case ended(ProviderID, Session, length: Duration)
      case impression(ItemID)
      case screen(ScreenFact)
    }
  }

  init(_ userSession: UserSession, timeouts: [ProviderID: Duration]) {
    partition = userSession.partition
    generation = userSession.generation
    clocks = timeouts.mapValues { SessionTimer(timeout: $0) }
    clocks[Self.kit] = SessionTimer(timeout: Self.kitTimeout)
  }

  // MARK: Reports

  mutating func scene(
    _ phase: ScenePhase, at moment: ClockReading, by userSession: UserSession, id: () -> SessionID
  ) {
    follow(userSession, at: moment, id: id)
    let former = self.phase
    self.phase = phase
    switch phase {
    case .active:
      activate(at: moment, id: id)
      // Vendors count every activation, and not only the first of a process.
      if former != .active { add(.launched, at: moment.wall) }
    // In the foreground, but not in use.
    case .inactive: advance(to: moment)
    case .background:
      visible = []
      count(meter.hideAll(at: moment.uptime), at: moment)
      for provider in clocks.keys {
        note(clocks[provider]?.deactivate(at: moment) ?? [], of: provider)
      }
    }
  }

  /// - Parameter facts: What the report says besides how much of an item is visible.
  mutating func report(
    _ report: ScreenEvent, facts: () -> [ScreenFact] = { [] }, at moment: ClockReading,
    by userSession: UserSession, id: () -> SessionID
  ) {
    follow(userSession, at: moment, id: id)
    // An application that does not report its phase is in use when it shows an item.
    if phase == nil {
      phase = .active
      activate(at: moment, id: id)
      add(.launched, at: moment.wall)
    }
    guard phase != .background, let session = clocks[Self.kit]?.session?.id else { return }
    if let (item, fraction) = report.visibility {
      count(
        meter.report(
          item, visible: fraction, at: moment.uptime, session: session, user: partition.user),
        at: moment)
      guard appears(item, visible: fraction) else { return }
    }
    for fact in facts() { add(.screen(fact), at: moment.wall) }
  }

  mutating func report(
    _ fact: ScreenFact, at moment: ClockReading, by userSession: UserSession, id: () -> SessionID
  ) {
    follow(userSession, at: moment, id: id)
    add(.screen(fact), at: moment.wall)
  }

  /// Notes how much of the item is visible. Returns whether nothing of it was before.
  private mutating func appears(_ item: ItemID, visible fraction: Double) -> Bool {
    guard fraction > 0 else {
      visible.remove(item)
      return false
    }
    displayed.insert(item)
    return visible.insert(item).inserted
  }

  /// Begins or continues the sessions of these providers. Returns whether there is anything to record.
  mutating func touch(
    _ providers: [ProviderID], at moment: ClockReading, by userSession: UserSession,
    id: () -> SessionID
  ) -> Bool {
    follow(userSession, at: moment, id: id)
    for provider in providers {
      note(clocks[provider]?.touch(at: moment, id: id) ?? [], of: provider)
    }
    return !notes.isEmpty
  }

  mutating func advance(to moment: ClockReading, by userSession: UserSession, id: () -> SessionID) {
    follow(userSession, at: moment, id: id)
    advance(to: moment)
  }

  /// Ends the sessions of a user who signs out, while their ends can still be sent as that user.
  mutating func leave(at moment: ClockReading) {
    visible = []
    count(meter.hideAll(at: moment.uptime), at: moment)
    for provider in clocks.keys { note(clocks[provider]?.end(at: moment) ?? [], of: provider) }
  }

  /// Drops the unrecorded notes of an erased user.
  mutating func forget(_ partition: Partition.ID) {
    notes.removeAll { $0.partition.id == partition }
  }

  // MARK: Events to record

  mutating func takeNotes() -> [Note] {
    defer { notes = [] }
    return notes
  }

  /// Puts back notes that could not be recorded.
  mutating func putBack(_ earlier: [Note]) {
    notes = Array((earlier + notes).suffix(Self.capacity))
  }

  func session(for provider: ProviderID) -> Session? { clocks[provider]?.session }

  /// The last sessions that ended, which may have been another user's.
  func formerSessions(for provider: ProviderID) -> [Session] { clocks[provider]?.former ?? [] }

  /// When the next change by time alone is due; nil for never.
  var deadline: Duration? {
    ([meter.nextDeadline] + clocks.values.map(\.deadline)).compactMap(\.self).min()
  }

  var isActive: Bool { clocks.values.contains(where: \.isActive) }

  // MARK: Over a restart

  var kept: JSON {
    var object = JSONObject()
    for (provider, clock) in clocks.sorted(by: { $0.key < $1.key }) {
      object[provider.rawValue] = clock.kept?.json
    }
    return ["partition": .integer(partition.id), "clocks": .object(object)]
  }

  /// Continues after a restart, with the sessions of the same user.
  mutating func resume(_ json: JSON, at moment: ClockReading) {
    let isSame = json["partition"]?.integer == partition.id
    for (provider, clock) in clocks {
      guard var kept = SessionTimer.Kept(in: json, of: provider) else { continue }
      if !isSame { kept.session = nil }
      var resumed = clock
      let happenings = resumed.resume(kept, at: moment)
      clocks[provider] = resumed
      note(happenings, of: provider)
    }
  }

  mutating func setTimeouts(_ timeouts: [ProviderID: Duration]) {
    for (provider, timeout) in timeouts { clocks[provider]?.timeout = timeout }
  }

  // MARK: Other processes

  /// Settles notes of the current user with the sessions that the processes of the cache have
  /// stored, and continues those. Returns what is to be recorded.
  mutating func settle(_ notes: [Note], with stored: JSON?, at moment: ClockReading) -> [Note] {
    guard let stored, stored["partition"]?.integer == partition.id else { return notes }
    var sessions: [ProviderID: StoredSession] = [:]
    for (provider, clock) in clocks {
      guard let kept = SessionTimer.Kept(in: stored, of: provider) else { continue }
      sessions[provider] = StoredSession(kept, timeout: clock.timeout, at: moment.wall)
    }
    var settled: [Note] = []
    for note in notes { settled += note.settled(with: &sessions) }
    let unsettled = self.notes
    self.notes = []
    for (provider, session) in sessions.sorted(by: { $0.key < $1.key }) {
      self.note(clocks[provider]?.follow(session.kept, at: moment) ?? [], of: provider)
    }
    settled += self.notes
    self.notes = unsettled
    return settled
  }

  /// Takes over the sessions of a copy that was settled, where they are still those of `former`.
  mutating func adopt(_ settled: SessionTracker, for former: SessionTracker) {
    guard partition == settled.partition else { return }
    for (provider, clock) in settled.clocks {
      let (old, new) = (former.session(for: provider)?.id, clock.session?.id)
      guard old != new, session(for: provider)?.id == old else { continue }
      clocks[provider] = clock
      for index in notes.indices where notes[index].sessions[provider] == old {
        notes[index].sessions[provider] = new
      }
    }
  }
}

extension SessionTracker.Note {
  /// What of it is to be recorded.
  fileprivate func settled(with stored: inout [ProviderID: StoredSession]) -> [Self] {
    var note = self
    for (provider, session) in sessions {
      note.sessions[provider] = stored[provider]?.name(of: session) ?? session
    }
    let (provider, settled): (ProviderID, [StoredSession.Settled]?)
    switch fact {
    case .began(let owner, let session):
      (provider, settled) = (owner, stored[owner]?.began(session, at: time))
    case .ended(let owner, let session, let length):
      (provider, settled) = (owner, stored[owner]?.ended(session, length: length, at: time))
    case .launched, .impression, .screen: return [note]
    }
    guard let settled else { return [note] }
    return settled.map { settled in
      var note = note
      note.time = settled.time
      note.fact = Fact(settled.happening, of: provider)
      return note
    }
  }
}

extension SessionTracker.Note.Fact {
  fileprivate init(_ happening: SessionTimer.Happening, of provider: ProviderID) {
    switch happening {
    case .began(let session): self = .began(provider, session)
    case .ended(let session, let length, _): self = .ended(provider, session, length: length)
    }
  }
}

extension SessionTracker {
  /// Sets the current user.
  ///
  /// Another user gets new sessions. A user who adopted the anonymous one continues its sessions.
  /// Nothing more is noted for a user who has signed out: see `leave(at:)`.
  private mutating func follow(
    _ userSession: UserSession, at moment: ClockReading, id: () -> SessionID
  ) {
    guard userSession.generation != generation else { return }
    let former = partition
    generation = userSession.generation
    partition = userSession.partition
    if userSession.adopted == former.id {
      for index in notes.indices where notes[index].partition == former {
        notes[index].partition = partition
      }
      return
    }
    guard former != partition else { return }
    forget(former.id)
    (visible, displayed) = ([], [])
    for provider in clocks.keys { _ = clocks[provider]?.end(at: moment) }
    if phase == .active { activate(at: moment, id: id) }
  }

  private mutating func activate(at moment: ClockReading, id: () -> SessionID) {
    for provider in clocks.keys.sorted() {
      note(clocks[provider]?.activate(at: moment, id: id) ?? [], of: provider)
    }
    enterMeter(at: moment)
  }

  private mutating func advance(to moment: ClockReading) {
    count(meter.advance(to: moment.uptime), at: moment)
    for provider in clocks.keys.sorted() {
      note(clocks[provider]?.advance(to: moment) ?? [], of: provider)
    }
  }

  private mutating func enterMeter(at moment: ClockReading) {
    guard let session = clocks[Self.kit]?.session?.id else { return }
    count(meter.enter(session: session, user: partition.user, at: moment.uptime), at: moment)
  }

  private mutating func note(_ happenings: [SessionTimer.Happening], of provider: ProviderID) {
    for happening in happenings {
      add(Note.Fact(happening, of: provider), at: happening.time)
    }
  }

  private mutating func count(_ impressions: [ImpressionMeter.Impression], at moment: ClockReading)
  {
    for impression in impressions where impression.user == partition.user {
      let ago = (moment.uptime - impression.instant).seconds
      add(.impression(impression.item), at: moment.wall.addingTimeInterval(-ago))
    }
  }

  private mutating func add(_ fact: Note.Fact, at time: Date) {
    let sessions = clocks.compactMapValues(\.session?.id)
    notes.append(Note(partition: partition, fact: fact, time: time, sessions: sessions))
    if notes.count > Self.capacity { notes.removeFirst() }
  }
}

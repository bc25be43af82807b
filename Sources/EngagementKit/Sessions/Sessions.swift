import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Usage sessions and the impressions within them.
///
/// A report is noted in memory at once, and `keepTime` records it, so that no screen waits for the
/// disk.
final class Sessions: CommitObserver {
  let dependencies: KitDependencies
  private let plans: @Sendable () -> RoutePlans
  /// Fires when something was reported or a time-out changed.
  private let signal = AsyncSignal()
  private let state: Locked<State>
  /// Held while notes are recorded, so that who waits for a flush waits for an earlier one too.
  private let recording = AsyncMutex()

  init(_ dependencies: KitDependencies, plans: @escaping @Sendable () -> RoutePlans) {
    self.dependencies = dependencies
    self.plans = plans
    let timeouts = dependencies.providers.map { ($0.id, $0.adapter.capabilities.sessionTimeout) }
    state = Locked(
      State(
        tracker: SessionTracker(
          dependencies.currentUser.userSession, timeouts: Dictionary(timeouts) { first, _ in first }
        )))
  }

  private struct State {
    var tracker: SessionTracker
    var isLoaded = false
    /// The phase that was reported before the stored sessions were loaded.
    var early: (phase: ScenePhase, at: ClockReading)?
    /// Whether the state has changed since it was stored.
    var isDirty = false
    /// Whether notes were taken that are not recorded yet.
    var isRecording = false
  }

  /// The current session as the provider's vendor gets it; nil if there is none.
  func session(for provider: ProviderID) -> Session? {
    let present = dependencies.currentUser.userSession.partition
    return state.withLock { state in
      state.tracker.partition == present ? state.tracker.session(for: provider) : nil
    }
  }

  /// The provider's last sessions that ended.
  func formerSessions(for provider: ProviderID) -> [Session] {
    state.withLock { $0.tracker.formerSessions(for: provider) }
  }

  /// The current user's items of which something was visible since the process began.
  var displayedItems: Set<ItemID> {
    let present = dependencies.currentUser.userSession.partition
    return state.withLock { $0.tracker.partition == present ? $0.tracker.displayed : [] }
  }

  // MARK: Reports

  func scene(_ phase: ScenePhase) {
    let moment = ClockReading(dependencies.clock)
    state.withLock { state in
      guard state.isLoaded else {
        state.early = (phase, moment)
        return
      }
      state.tracker.scene(
        phase, at: moment, by: dependencies.currentUser.userSession, id: sessionID)
      state.isDirty = true
    }
    signal.fire()
  }

  func report(_ report: ScreenEvent, facts: () -> [ScreenFact]) {
    let moment = ClockReading(dependencies.clock)
    let isFirst = state.withLock { state in
      guard state.isLoaded else { return false }
      let count = state.tracker.displayed.count
      state.tracker.report(
        report, facts: facts, at: moment, by: dependencies.currentUser.userSession, id: sessionID)
      return state.tracker.displayed.count > count
    }
    signal.fire()
    // Nothing of it may be committed, and yet a card fewer is unseen.
    if isFirst { dependencies.commitPublisher.signal.fire() }
  }

  /// Notes something that happened to what a screen shows, unless the user of that generation has left.
  func report(_ fact: ScreenFact, of generation: Int) {
    let moment = ClockReading(dependencies.clock)
    state.withLock { state in
      let userSession = dependencies.currentUser.userSession
      guard state.isLoaded, userSession.generation == generation else { return }
      state.tracker.report(fact, at: moment, by: userSession, id: sessionID)
    }
    signal.fire()
  }

  /// Begins or continues the session of each of the providers whose vendor needs one. A session that
  /// began is recorded before this returns; returns whether one may have begun.
  @discardableResult func touch(_ providers: [Provider]) async -> Bool {
    let needy = providers.filter(\.adapter.capabilities.needsSession).map(\.id)
    guard !needy.isEmpty else { return false }
    let moment = ClockReading(dependencies.clock)
    let hasNotes = state.withLock { state in
      guard state.isLoaded else { return false }
      state.isDirty = true
      let hasNotes = state.tracker.touch(
        needy, at: moment, by: dependencies.currentUser.userSession, id: sessionID)
      return hasNotes || state.isRecording
    }
    if hasNotes { await flush() }
    return hasNotes
  }

  private func sessionID() -> SessionID { SessionID(dependencies.key().id(0)) }

  // MARK: Over restarts and users

  /// Continues with the stored state. A second call does nothing.
  func load() async throws(EngagementError) {
    let userSession = dependencies.currentUser.userSession
    let kept = try await KitState(dependencies).value(
      .installation, Self.storedName, in: userSession.partition)
    let timeouts = try await timeouts(in: userSession.partition)
    let moment = ClockReading(dependencies.clock)
    state.withLock { state in
      guard !state.isLoaded else { return }
      state.isLoaded = true
      state.tracker.setTimeouts(timeouts)
      if let kept { state.tracker.resume(kept, at: state.early?.at ?? moment) }
      guard let early = state.early else { return }
      state.tracker.scene(
        early.phase, at: early.at, by: dependencies.currentUser.userSession, id: sessionID)
      state.isDirty = true
    }
  }

  /// Applies a vendor's setting for the time-out, also to a current absence.
  func observe(_ report: CommitReport, of partition: Partition) async {
    guard report.hasNewSettings else { return }
    do throws(EngagementError) {
      let timeouts = try await timeouts(in: partition)
      state.withLock { $0.tracker.setTimeouts(timeouts) }
      signal.fire()
    } catch {
      dependencies.log(.warning, "A new session time-out counts after a restart: \(error.code)")
    }
  }

  /// Ends the current user's sessions and records their ends, while they can still be sent as that
  /// user. Call it before a change of user that is no adoption.
  func leave() async {
    let moment = ClockReading(dependencies.clock)
    state.withLock { state in
      state.tracker.leave(at: moment)
      state.isDirty = true
    }
    await flush()
  }

  /// Follows a change of the user, so that a session which goes on does so after a restart as well.
  /// Call it when the next user is current.
  func follow() async {
    let moment = ClockReading(dependencies.clock)
    state.withLock { state in
      guard state.isLoaded else { return }
      state.tracker.advance(to: moment, by: dependencies.currentUser.userSession, id: sessionID)
      state.isDirty = true
    }
    await flush()
  }

  /// Drops the unrecorded notes of an erased user.
  func forget(_ partition: Partition) {
    state.withLock { $0.tracker.forget(partition.id) }
  }

  // MARK: Time

  /// Ends sessions and counts impressions when they are due, until the task is cancelled.
  func keepTime() async {
    while !Task.isCancelled {
      let seen = signal.count
      await loadOrLog()
      await flush()
      await signal.wait(after: seen, until: nextLook, by: dependencies.clock)
      let moment = ClockReading(dependencies.clock)
      state.withLock { state in
        guard state.isLoaded else { return }
        state.tracker.advance(to: moment, by: dependencies.currentUser.userSession, id: sessionID)
        // During a session its length is stored once a minute.
        state.isDirty = state.isDirty || state.tracker.isActive
      }
    }
    await flush()
  }

  private var nextLook: Duration {
    let now = dependencies.clock.uptime
    let deadline = state.withLock { $0.isLoaded ? $0.tracker.deadline : nil }
    return min(deadline ?? now + Self.interval, now + Self.interval)
  }

  private static let interval: Duration = .seconds(60)

  private func loadOrLog() async {
    do throws(EngagementError) {
      try await load()
    } catch {
      dependencies.log(.error, "Sessions wait until the cache can be read: \(error.code)")
    }
  }

  /// The vendor's setting goes before the adapter's value.
  private func timeouts(
    in partition: Partition
  ) async throws(EngagementError) -> [ProviderID: Duration] {
    var timeouts: [ProviderID: Duration] = [:]
    for provider in dependencies.providers {
      let wish = try await dependencies.store.memory(of: provider.id, in: partition).settings
      timeouts[provider.id] =
        wish.sessionTimeout ?? provider.adapter.capabilities.sessionTimeout
    }
    return timeouts
  }

  // MARK: Recording

  /// Records the notes so far.
  func flush() async {
    await recording.lock()
    defer { recording.unlock() }
    let (notes, isDirty, tracker) = state.withLock { state in
      defer { state.isDirty = false }
      let notes = state.tracker.takeNotes()
      state.isRecording = !notes.isEmpty
      return (notes, state.isDirty, state.tracker)
    }
    var groups = Dictionary(grouping: notes, by: \.partition)
    if isDirty { groups[tracker.partition, default: []] += [] }
    for (partition, notes) in groups {
      let isPresent = isDirty && partition == tracker.partition
      await record(notes, isPresent ? tracker : nil, in: partition)
    }
    state.withLock { $0.isRecording = false }
  }

  /// Records notes and stores the tracker's state in one transaction, so that of several processes
  /// one begins a session, and the others continue it.
  private func record(
    _ notes: [SessionTracker.Note], _ tracker: SessionTracker?, in partition: Partition
  ) async {
    let moment = ClockReading(dependencies.clock)
    do throws(EngagementError) {
      let settled = try await dependencies.accept(in: partition, updating: KitState.owner) {
        [dependencies, plans] (consent, memory, find) throws(EngagementError) in
        var (notes, update) = (notes, Store.ValueUpdate(tracker))
        if consent != .denied, var settled = tracker {
          let stored = memory.json(.installation, Self.storedName)
          notes = settled.settle(notes, with: stored, at: moment)
          update.changes = [KitState.change(.installation, Self.storedName, settled.kept)]
          update.outcome = settled
        }
        let maker = SessionIntents(dependencies, consent, plans())
        for note in notes { update.intents += try maker.intents(for: note, find) }
        return update
      }
      guard let tracker, let settled else { return }
      state.withLock { $0.tracker.adopt(settled, for: tracker) }
    } catch {
      // Another process has erased or purged the user, of whom nothing is recorded.
      if error.code == .notFound { return }
      dependencies.log(.error, "Sessions and impressions could not be recorded: \(error.code)")
      guard error.code.mayRetry else { return }
      state.withLock { state in
        state.tracker.putBack(notes)
        state.isDirty = state.isDirty || tracker != nil
      }
    }
  }

  /// The name of the stored state.
  private static let storedName = "sessions"
}

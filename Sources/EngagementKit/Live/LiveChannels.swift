import EngagementAdapterAPI
import EngagementModel

/// Keeps a live channel to each vendor that has one, while a user and the application are there.
///
/// A channel ends when the user leaves, the application is in the background, or no route shows the
/// provider's items any more. Another begins when these are over.
final class LiveChannels: Sendable {
  private let dependencies: KitDependencies
  private let runtimes: [ProviderRuntime]
  private let refresher: Refresher
  private let feedPublisher: FeedPublisher
  private let state = Locked(State())
  /// Fires when what channels depend on may have changed.
  private let signal = AsyncSignal()
  /// Fires when a channel is closed.
  private let ends = AsyncSignal()

  private struct State {
    /// The events of the channels that are open.
    var events: [ProviderID: LiveEvents] = [:]
    /// How many signals were seen by those that wait for another, where no channel is wanted.
    var waits: [ProviderID: Int] = [:]
    var isAllowed = true
    var isInBackground = false
    /// How many changes of user or consent are under way.
    var pauses = 0
  }

  init(
    _ dependencies: KitDependencies, _ runtimes: [ProviderID: ProviderRuntime],
    _ refresher: Refresher, _ feedPublisher: FeedPublisher
  ) {
    self.dependencies = dependencies
    self.runtimes = dependencies.providers.compactMap { runtimes[$0.id] }
      .filter(\.capabilities.isLive)
    self.refresher = refresher
    self.feedPublisher = feedPublisher
  }

  // MARK: Changes

  /// Looks again at what channels depend on.
  func follow() {
    signal.fire()
    for events in state.withLock({ $0.events.values }) { events.signal.fire() }
  }

  func scene(_ phase: ScenePhase) { change { $0.isInBackground = phase == .background } }

  func setAllowed(_ isAllowed: Bool) { change { $0.isAllowed = isAllowed } }

  /// Closes all channels, and opens none until `resume()` is called as often as this. Nothing is sent or
  /// committed any more when this returns.
  func pause() async {
    change { $0.pauses += 1 }
    while true {
      let seen = ends.count
      if state.withLock({ $0.events.isEmpty }) { return }
      await ends.waitThroughCancellation(after: seen)
    }
  }

  func resume() { change { $0.pauses -= 1 } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    follow()
  }

  /// Whether nothing happens before another event comes or time passes. False while nothing runs.
  var isIdle: Bool {
    let (uptime, count) = (dependencies.clock.uptime, signal.count)
    return state.withLock { state in
      runtimes.allSatisfy { runtime in
        state.events[runtime.id]?.isIdle(at: uptime) ?? (state.waits[runtime.id] == count)
      }
    }
  }

  // MARK: Running

  /// Keeps the channels until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for runtime in runtimes { group.addTask { await self.run(runtime) } }
    }
  }

  private func run(_ runtime: ProviderRuntime) async {
    while !Task.isCancelled {
      let seen = signal.count
      switch await keep(runtime, for: dependencies.currentUser.userSession) {
      case .ended: continue
      case .notWanted:
        state.withLock { $0.waits[runtime.id] = seen }
        await signal.wait(after: seen)
        state.withLock { $0.waits[runtime.id] = nil }
      case .failed:
        let again = dependencies.clock.uptime + OutboxSender.retryInterval
        await signal.wait(after: seen, until: again, by: dependencies.clock)
      }
    }
  }

  private enum Outcome {
    case ended, notWanted, failed
  }

  /// Keeps one channel until it is no longer wanted.
  private func keep(_ runtime: ProviderRuntime, for userSession: UserSession) async -> Outcome {
    guard let events = begin(at: runtime, for: userSession) else { return .notWanted }
    defer {
      state.withLock { $0.events[runtime.id] = nil }
      ends.fire()
    }
    do throws(EngagementError) {
      guard
        var channel = try await LiveChannel(
          runtime, refresher, for: userSession, events,
          wish: { self.wish(at: runtime, for: userSession) })
      else { return .notWanted }
      await channel.run()
      return .ended
    } catch {
      if error.code == .consentDenied || error.code == .signedOut { return .notWanted }
      dependencies.log(.warning, "The live channel waits: \(error.code)", runtime.id)
      return .failed
    }
  }

  /// The events of a channel that begins; nil if none is wanted.
  private func begin(at runtime: ProviderRuntime, for userSession: UserSession) -> LiveEvents? {
    guard case .open = wish(at: runtime, for: userSession) else { return nil }
    return state.withLock { state in
      guard state.pauses == 0 else { return nil }
      let events = LiveEvents()
      state.events[runtime.id] = events
      return events
    }
  }

  private func wish(
    at runtime: ProviderRuntime, for userSession: UserSession
  ) -> LiveChannel.Wish {
    let state = state.withLock { $0 }
    if state.pauses > 0 || !dependencies.currentUser.isCurrent(userSession) {
      return .ended(.userLeft)
    }
    if state.isInBackground { return .ended(.background) }
    guard let feeds = feedPublisher.shownFeeds(of: runtime.id) else { return .ended(.notShown) }
    return .open(showing: feeds, isAllowed: state.isAllowed)
  }
}

import EngagementAdapterAPI
public import EngagementModel
public import EngagementPlatform
import EngagementStore

extension Engagement {
  /// Until when vendors have asked for a pause, for the current user or for every user. Of several
  /// pauses at a vendor the longest counts; other requests may go on.
  public var pauses: [ProviderID: Date] {
    get async throws(EngagementError) {
      try lifecycle.checkOpen()
      let partition = dependencies.currentUser.userSession.partition
      let now = dependencies.clock.now
      var pauses: [ProviderID: Date] = [:]
      for id in dependencies.providers.map(\.id) {
        let memory = try await dependencies.store.memory(of: id, in: partition)
        pauses[id] = memory.throttles.filter { $0.binds(at: now) }.map(\.until).max()
      }
      return pauses
    }
  }

  /// Ends the pauses that vendors have asked for: what waits is sent at once.
  ///
  /// For a person who decides so. A vendor that is asked too often may ask for a longer pause.
  public func endPauses() async throws(EngagementError) {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    let now = dependencies.clock.now
    for runtime in runtimes.values {
      let memory = try await dependencies.store.memory(
        of: runtime.id, in: userSession.partition)
      let attempt = Attempt(
        by: userSession.user, dependencies.key(), acceptedAt: now,
        generation: userSession.generation)
      try await runtime.host.commit(
        memory.throttles.filter { $0.until > now }.map { $0.ended(at: now) }, by: attempt)
    }
    outboxSender.endPauses()
  }
}

extension ProviderMemory.Throttle {
  /// Whether operations wait for its end. An end that is farther away than any vendor's pause means that
  /// the clock was set back.
  func binds(at now: Date) -> Bool { until > now && until.timeIntervalSince(now) <= longest }

  private var longest: TimeInterval {
    switch scope {
    case .user: 86_400
    // Some vendors silence an installation for weeks.
    case .installation: 30 * 86_400
    }
  }

  /// The change that ends it.
  fileprivate func ended(at now: Date) -> Change {
    switch scope {
    case .user: .throttled(verb, until: now)
    case .installation: .paused(until: now)
    }
  }
}

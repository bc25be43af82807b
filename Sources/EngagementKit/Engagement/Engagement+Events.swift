import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// The current user's events as they are recorded: what the user does, what screens report, what
  /// vendors took, refused and could not be asked. They come in their order, of all vendors.
  ///
  /// For a later stream, keep the `sequence` of the last event that the application has handled. Every
  /// event is given at least once then, also over restarts. Nothing is recorded that the user's consent
  /// does not allow. When another user signs in, that user's events follow. The sequence ends when the
  /// engagement is closed.
  ///
  /// Throws an error of the cache, and `conflict` once the engagement is closed.
  ///
  /// - Parameter sequence: Where to begin; nil begins with the first event after this call.
  public func eventUpdates(
    after sequence: Int64? = nil
  ) async throws(EngagementError) -> AsyncStream<EngagementEvent> {
    try lifecycle.checkOpen()
    let start = if let sequence { sequence } else { try await dependencies.store.newestSequence() }
    let reading = Locked(EventReading(last: start))
    let (dependencies, signal) = (dependencies, dependencies.commitPublisher.signal)
    return AsyncStream {
      while !Task.isCancelled {
        let event = reading.withLock { $0.next(for: dependencies.currentUser) }
        if let event { return event }
        let seen = signal.count
        let begin = reading.withLock { $0.last }
        let userSession = dependencies.currentUser.userSession
        guard
          (try? dependencies.lifecycle.checkOpen()) != nil,
          let entries = try? await dependencies.store.entries(
            after: begin, limit: EventReading.page, in: userSession.partition)
        else { return nil }
        let isEmpty = reading.withLock {
          $0.take(entries.map(\.event), of: userSession, after: begin)
        }
        if isEmpty { await signal.wait(after: seen) }
      }
      return nil
    }
  }
}

/// The place in a stream of events.
private struct EventReading {
  /// How many events are read at once.
  static let page = 100

  /// The sequence of the last event that was read.
  private(set) var last: Int64
  private var waiting: ArraySlice<EngagementEvent> = []
  private var userSession: UserSession?

  init(last: Int64) { self.last = last }

  /// The next event; nil if there is none, or its user has left.
  mutating func next(for currentUser: CurrentUser) -> EngagementEvent? {
    guard let userSession, currentUser.isCurrent(userSession) else {
      waiting = []
      return nil
    }
    return waiting.popFirst()
  }

  /// Takes what was read. Returns whether it is nothing.
  mutating func take(
    _ events: [EngagementEvent], of userSession: UserSession, after begin: Int64
  ) -> Bool {
    last = events.last?.sequence ?? begin
    waiting = events[...]
    self.userSession = userSession
    return events.isEmpty
  }
}

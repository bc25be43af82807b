import EngagementAdapterAPI
import EngagementModel

/// What happened to a live channel and was not handled yet. Many tasks add, and the channel takes.
final class LiveEvents: Sendable {
  enum Event: Sendable {
    /// Of the socket with that number.
    case socket(Int, SocketEvent)
    /// The answer to the question with that number.
    case credential(Int, isAvailable: Bool)
  }

  private struct State {
    var events: [Event] = []
    var addedCount = 0
    var handledCount = 0
    var rest: Rest?
    /// How many sockets are being closed.
    var closingCount = 0
  }

  /// The channel waits.
  struct Rest: Sendable {
    /// The signals that it had seen before.
    var seen: Int
    /// When its next timer expires, as uptime.
    var end: Duration?
    /// Whether a socket is being opened, or the application was asked for a credential.
    var isExpecting: Bool
  }

  /// Fires after each addition. Others fire it, too, when the channel has to look around.
  let signal = AsyncSignal()
  private let state = Locked(State())
  private let progress = AsyncSignal()

  func add(_ event: Event) { _ = number(of: event) }

  /// Adds the event and waits until it was handled, or the task is cancelled.
  func addAndWait(_ event: Event) async {
    let number = number(of: event)
    while !Task.isCancelled {
      let seen = progress.count
      if state.withLock({ $0.handledCount >= number }) { return }
      await progress.wait(after: seen)
    }
  }

  /// Takes the oldest event. `noteHandled()` follows.
  func next() -> Event? {
    state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
  }

  func noteHandled() {
    state.withLock { $0.handledCount += 1 }
    progress.fire()
  }

  /// Notes that the channel waits; nil when it goes on.
  func note(_ rest: Rest?) { state.withLock { $0.rest = rest } }

  /// Notes that a socket begins to be closed, or is.
  func noteClosing(_ isClosing: Bool) {
    state.withLock { $0.closingCount += isClosing ? 1 : -1 }
  }

  /// Whether nothing happens before another event comes or time passes.
  func isIdle(at uptime: Duration) -> Bool {
    let (rest, closingCount) = state.withLock { ($0.rest, $0.closingCount) }
    guard let rest, !rest.isExpecting, closingCount == 0 else { return false }
    return rest.seen == signal.count && rest.end.map { $0 > uptime } ?? true
  }

  private func number(of event: Event) -> Int {
    defer { signal.fire() }
    return state.withLock { state in
      state.events.append(event)
      state.addedCount += 1
      return state.addedCount
    }
  }
}

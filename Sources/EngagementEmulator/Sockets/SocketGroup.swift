import EngagementModel

/// The threads of all sockets that run, and how they end: the HTTP library must not stop before.
final class SocketGroup: Sendable {
  private struct State {
    var running: [Int: SocketThread] = [:]
    var whenEmpty: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Starts a socket's thread; `finish` is called at its end. Throws if the system has none left.
  func start(
    _ thread: SocketThread, on socket: Int32, head: [UInt8],
    finish: @escaping @Sendable () -> Void
  ) throws(EngagementError) {
    state.withLock { $0.running[thread.number] = thread }
    do throws(EngagementError) {
      try thread.start(on: socket, head: head) { [self] in
        finish()
        remove(thread.number)
      }
    } catch {
      remove(thread.number)
      throw error
    }
  }

  /// Closes all sockets, then does the work, on the thread of the last one or here. No socket may be
  /// started from now on.
  func stop(_ work: @escaping @Sendable () -> Void) {
    let running: [SocketThread] = state.withLock { state in
      if !state.running.isEmpty { state.whenEmpty = work }
      return Array(state.running.values)
    }
    if running.isEmpty { work() }
    for thread in running { thread.order(.stop) }
  }

  private func remove(_ number: Int) {
    let work: (@Sendable () -> Void)? = state.withLock { state in
      state.running[number] = nil
      guard state.running.isEmpty else { return nil }
      defer { state.whenEmpty = nil }
      return state.whenEmpty
    }
    work?()
  }
}

import EngagementModel

/// Holds tasks until it is opened, so that a test controls concurrency.
public final class Gate: Sendable {
  fileprivate struct State {
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  public init() {}

  /// Waits until the gate is open.
  public func pass() async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        if state.isOpen { return [continuation] }
        state.held.append(continuation)
        return state.takeWatchers()
      }
      for continuation in ready { continuation.resume() }
    }
  }

  /// Lets all waiting and all later tasks pass.
  public func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until `count` tasks are held.
  public func isHolding(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for continuation in ready { continuation.resume() }
    }
  }
}

extension Gate.State {
  fileprivate mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
    let ready = watchers.filter { $0.count <= held.count }
    watchers.removeAll { $0.count <= held.count }
    return ready.map(\.continuation)
  }
}

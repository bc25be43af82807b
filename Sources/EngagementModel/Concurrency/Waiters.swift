/// The tasks that wait for one value. It stands in the state of its owner, behind the owner's lock;
/// `Locked.wait(in:until:)` adds a task to it.
package struct Waiters<Value: Sendable>: Sendable {
  private var continuations: [ObjectIdentifier: CheckedContinuation<Value?, Never>] = [:]

  package init() {}

  package var count: Int { continuations.count }

  /// Takes out all tasks. Call `resume(with:)` on the result after the lock is released.
  package mutating func removeAll() -> WokenTasks<Value> {
    defer { continuations = [:] }
    return WokenTasks(continuations: Array(continuations.values))
  }

  fileprivate mutating func add(
    _ ticket: WaitTicket, _ continuation: CheckedContinuation<Value?, Never>
  ) {
    continuations[ObjectIdentifier(ticket)] = continuation
  }

  fileprivate mutating func remove(_ ticket: WaitTicket) -> CheckedContinuation<Value?, Never>? {
    continuations.removeValue(forKey: ObjectIdentifier(ticket))
  }
}

/// Tells one wait from all others.
private final class WaitTicket: Sendable {}

/// Tasks that are not waiting any more and do not run yet.
package struct WokenTasks<Value: Sendable>: Sendable {
  fileprivate let continuations: [CheckedContinuation<Value?, Never>]

  package func resume(with value: Value) {
    for continuation in continuations { continuation.resume(returning: value) }
  }

  /// Ends the waits as if the tasks were cancelled.
  package func cancel() {
    for continuation in continuations { continuation.resume(returning: nil) }
  }
}

extension WokenTasks<Void> {
  package func resume() { resume(with: ()) }
}

extension Locked where Value: Sendable {
  /// Waits for a value until one is there or the task is cancelled.
  ///
  /// - Parameters:
  ///   - waiters: The part of the state that keeps the tasks.
  ///   - ready: Gives the value where it is there already. It runs under the lock, so no value
  ///     can come between it and the wait.
  /// - Returns: Nil when the task was cancelled first.
  package func wait<Waited: Sendable>(
    in waiters: any WritableKeyPath<Value, Waiters<Waited>> & Sendable,
    until ready: (inout Value) -> Waited?
  ) async -> Waited? {
    let ticket = WaitTicket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let known: Waited?? = withLock { state in
          if let value = ready(&state) { return .some(value) }
          // A task that is cancelled later finds its continuation.
          if Task.isCancelled { return .some(nil) }
          state[keyPath: waiters].add(ticket, continuation)
          return nil
        }
        if let known { continuation.resume(returning: known) }
      }
    } onCancel: {
      withLock { $0[keyPath: waiters].remove(ticket) }?.resume(returning: nil)
    }
  }

  /// As `wait(in:until:)`, also for a task that is cancelled.
  package func waitThroughCancellation<Waited: Sendable>(
    in waiters: any WritableKeyPath<Value, Waiters<Waited>> & Sendable,
    until ready: (inout Value) -> Waited?
  ) async -> Waited? {
    let ticket = WaitTicket()
    return await withCheckedContinuation { continuation in
      let known = withLock { state -> Waited? in
        if let value = ready(&state) { return value }
        state[keyPath: waiters].add(ticket, continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

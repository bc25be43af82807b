import EngagementModel

/// Lets many tasks that need the same work do it once.
///
/// The first task leads and does the work; tasks that come meanwhile wait and share the result. A
/// leader whose task is cancelled leaves the work to the next. Work may need other work. Work that
/// needs itself, through any number of others, is refused instead of waited for.
final class SingleFlight<Key: Hashable & Sendable, Result: Sendable>: Sendable {
  /// How it ended for one task.
  enum Completion: Sendable {
    /// The work was done, by this task or by another.
    case completed(Result)
    /// The leader gave up or this task was cancelled: ask again, or stop.
    case abandoned
    /// Waiting would never end: the work needs itself.
    case circular
  }

  /// A task's part in the work.
  fileprivate enum Part: Sendable {
    case lead
    case share(Completion)
  }

  fileprivate struct State {
    /// The work under way, each with the work that its leader waits for.
    var running: [Key: Key?] = [:]
    var waiters: [Key: Waiters<Part>] = [:]
    var completions = 0
    /// The results of completed work that a task may still ask for.
    var last: [Key: (number: Int, completion: Completion)] = [:]

    subscript(waitersOf key: Key) -> Waiters<Part> {
      get { waiters[key] ?? Waiters() }
      set { waiters[key] = newValue }
    }
  }

  private let state = Locked(State())

  /// Does the work of the key, or waits for the task that does it.
  ///
  /// - Parameters:
  ///   - parent: The work that this task leads and that needs this work; nil outside any.
  ///   - moment: The value of `completions` when the need arose. Work that was completed since then
  ///     is shared. Nil for a need of now.
  ///   - work: Does it; nil when its task gave up.
  func run(
    _ key: Key, for parent: Key?, since moment: Int? = nil, work: () async -> Result?
  ) async -> Completion {
    let part = await state.wait(in: \.[waitersOf: key]) {
      $0.part(in: key, for: parent, since: moment)
    }
    switch part {
    case .lead:
      let completion = await work().map(Completion.completed) ?? .abandoned
      end(key, completion, for: parent, isKept: moment != nil).resume(with: .share(completion))
      return completion
    case .share(let completion):
      if let parent { state.withLock { $0.stopWaiting(parent) } }
      return completion
    case nil:
      if let parent { state.withLock { $0.stopWaiting(parent) } }
      return .abandoned
    }
  }

  /// How often work was completed so far.
  var completions: Int { state.withLock { $0.completions } }

  /// How many tasks wait for any work.
  var waiting: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

  /// How many tasks wait for the work of the key.
  func waiting(for key: Key) -> Int { state.withLock { $0.waiters[key]?.count ?? 0 } }

  private func end(
    _ key: Key, _ completion: Completion, for parent: Key?, isKept: Bool
  ) -> WokenTasks<Part> {
    state.withLock { state in
      if let parent { state.stopWaiting(parent) }
      state.running[key] = nil
      if case .completed = completion {
        state.completions += 1
        if isKept { state.last[key] = (state.completions, completion) }
      }
      var waiters = state.waiters.removeValue(forKey: key) ?? Waiters()
      return waiters.removeAll()
    }
  }
}

extension SingleFlight.State {
  /// The task's part; nil to wait. It is decided under the lock of the wait: the work cannot end
  /// unseen in between.
  fileprivate mutating func part(
    in key: Key, for parent: Key?, since moment: Int?
  ) -> SingleFlight.Part? {
    if let moment, let last = last[key], last.number > moment { return .share(last.completion) }
    guard running[key] != nil else {
      running.updateValue(nil, forKey: key)
      if let parent { running.updateValue(key, forKey: parent) }
      return .lead
    }
    guard let parent else { return nil }
    var next: Key? = key
    while let key = next {
      if key == parent { return .share(.circular) }
      next = running[key] ?? nil
    }
    running.updateValue(key, forKey: parent)
    return nil
  }

  fileprivate mutating func stopWaiting(_ parent: Key) {
    if running[parent] != nil { running.updateValue(nil, forKey: parent) }
  }
}

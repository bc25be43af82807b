import EngagementModel

/// The fetches that are under way, one for each URL. The first caller leads, the others follow.
final class SharedFetches: Sendable {
  private let running = Locked<[String: SharedFetch]>([:])

  enum Role {
    case lead(SharedFetch)
    case follow(SharedFetch)
  }

  func join(_ url: String) -> Role {
    running.withLock { running in
      if let fetch = running[url] { return .follow(fetch) }
      let fetch = SharedFetch()
      running[url] = fetch
      return .lead(fetch)
    }
  }

  func end(_ fetch: SharedFetch, of url: String, _ end: SharedFetch.End) {
    // A caller that comes now leads the next fetch.
    running.withLock { $0[url] = nil }
    fetch.finish(end)
  }
}

/// One fetch that is under way, and the tasks that wait for it.
final class SharedFetch: Sendable {
  /// How a fetch ended, and for whom.
  struct End: Sendable {
    private let outcome: Result<KeptFile, EngagementError>
    private let owner: String

    init(_ outcome: Result<KeptFile, EngagementError>, for owner: String) {
      self.outcome = outcome
      self.owner = owner
    }

    /// What it means for a follower with that owner; nil if the follower has to try again: another
    /// owner has no reference yet, and a leader that was cancelled or met an erasure says nothing about
    /// the file.
    func result(for owner: String) -> Result<KeptFile, EngagementError>? {
      switch outcome {
      case .success: self.owner == owner ? outcome : nil
      case .failure(let error): [.cancelled, .conflict].contains(error.code) ? nil : outcome
      }
    }
  }

  private struct State {
    var end: End?
    var waiters = Waiters<End>()
  }

  private let state = Locked(State())

  /// Waits for the end; nil when the task was cancelled first.
  func end() async -> End? { await state.wait(in: \.waiters) { $0.end } }

  func finish(_ end: End) {
    let woken = state.withLock { state in
      state.end = end
      return state.waiters.removeAll()
    }
    woken.resume(with: end)
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Who uses the application, and for the how-manieth time somebody does.
///
/// The generation changes with every sign-in and sign-out. Work, streams and callbacks carry the
/// one they began in: what returns from an older one is applied to its own partition or dropped,
/// never shown and never sent with another's credential.
struct Occupant: Hashable, Sendable {
  let partition: Partition
  let generation: Int
  /// The anonymous partition that this user took over from, in this generation.
  let adopted: Partition.ID?
  /// The providers whose vendors know the anonymous user and this one as the same.
  let adopters: Set<ProviderID>

  var user: User { partition.user }

  init(
    partition: Partition, generation: Int, adopted: Partition.ID? = nil,
    adopters: Set<ProviderID> = []
  ) {
    self.partition = partition
    self.generation = generation
    self.adopted = adopted
    self.adopters = adopters
  }
}

/// The present occupant.
final class Occupancy: Sendable {
  fileprivate struct State {
    var occupant: Occupant
    /// While one user has left and the next is not there yet: who takes over from whom.
    var change: Change?
    /// Of whom nothing may come back that began in this generation or before.
    var erased: [User: Int] = [:]
    var commits = Commits()
  }

  /// A change of user on its way.
  struct Change: Sendable {
    /// The providers for which the next user takes over from the anonymous one.
    var adopters: Set<ProviderID>
  }

  private let state: Locked<State>

  init(_ partition: Partition) {
    state = Locked(State(occupant: Occupant(partition: partition, generation: 1)))
  }

  var present: Occupant { state.withLock { $0.occupant } }

  func isPresent(_ occupant: Occupant) -> Bool {
    present.generation == occupant.generation
  }

  /// The occupant that the attempt may be sent for; nil for one who has left, and may be back.
  func occupant(acting attempt: Attempt) -> Occupant? {
    state.withLock { state in
      let isPresent = attempt.isMade(by: state.occupant.user, in: state.occupant.generation)
      return state.change == nil && isPresent ? state.occupant : nil
    }
  }

  /// Begins the next generation.
  @discardableResult func move(
    into partition: Partition, adopting anonymous: Partition.ID? = nil,
    for adopters: Set<ProviderID> = []
  ) -> Occupant {
    state.withLock { state in
      state.change = nil
      state.occupant = Occupant(
        partition: partition, generation: state.occupant.generation + 1, adopted: anonymous,
        adopters: adopters)
      return state.occupant
    }
  }

  // MARK: Between two users

  /// Lets the present user go: when this returns nothing more is sent for anybody, and what is
  /// still on its way says nothing about the installation any more.
  func leave(_ change: Change) async {
    await commitsAreDone { $0.change = change }
  }

  /// The user stays after all: the next one could not come.
  func stay() { state.withLock { $0.change = nil } }

  /// Nothing of the user's stays so far is committed any more when this returns.
  func forget(_ user: User) async {
    await commitsAreDone { $0.erased[user] = $0.occupant.generation }
  }

  /// Makes the change and waits for the commits that are under way at that very moment.
  private func commitsAreDone(before change: (inout State) -> Void) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        change(&state)
        return state.commits.wait(continuation)
      }
      if isDone { continuation.resume() }
    }
  }

  /// Does something that must not fall between two users, told whether the attempt speaks for the
  /// installation at this provider. It must not wait for anything but the disk.
  ///
  /// Throws `signedOut` for a user of whom nothing is kept.
  func committing<Result: Sendable>(
    by attempt: Attempt, for provider: ProviderID,
    _ body: (_ speaksForInstallation: Bool) async throws(EngagementError) -> Result
  ) async throws(EngagementError) -> Result {
    let start = state.withLock { state -> (commit: Int, speaks: Bool)? in
      guard !state.isErased(attempt) else { return nil }
      return (state.commits.begin(), state.speaksForInstallation(attempt, at: provider))
    }
    guard let start else {
      throw EngagementError(.signedOut, "Nothing is kept of the user.", provider: provider)
    }
    defer {
      let ready = state.withLock { $0.commits.end(start.commit) }
      for continuation in ready { continuation.resume() }
    }
    return try await body(start.speaks)
  }
}

extension Occupancy.State {
  /// A user who has left does not, unless the next took over from an anonymous one: elsewhere the
  /// vendor may by now know the installation under another id.
  ///
  /// Nor does one who has come back, for what began before: others may have used it meanwhile.
  fileprivate func speaksForInstallation(_ attempt: Attempt, at provider: ProviderID) -> Bool {
    let generation = occupant.generation
    if let change {
      return change.adopters.contains(provider) && attempt.isMade(by: .anonymous, in: generation)
    }
    return attempt.isMade(by: occupant.user, in: generation)
      || occupant.adopters.contains(provider)
        && attempt.isMade(by: .anonymous, in: generation - 1)
  }

  fileprivate func isErased(_ attempt: Attempt) -> Bool {
    guard let last = erased[attempt.user] else { return false }
    return attempt.generation ?? occupant.generation <= last
  }
}

extension Attempt {
  fileprivate func isMade(by user: User, in generation: Int) -> Bool {
    self.user == user && (self.generation ?? generation) == generation
  }
}

/// Commits under way, and who waits for those that began before.
private struct Commits {
  private var next = 0
  private var active: Set<Int> = []
  private var waiters: [(limit: Int, continuation: CheckedContinuation<Void, Never>)] = []

  mutating func begin() -> Int {
    next += 1
    active.insert(next)
    return next
  }

  /// Those who have nothing to wait for any more.
  mutating func end(_ commit: Int) -> [CheckedContinuation<Void, Never>] {
    active.remove(commit)
    let oldest = active.min() ?? .max
    let ready = waiters.filter { $0.limit < oldest }
    waiters.removeAll { $0.limit < oldest }
    return ready.map(\.continuation)
  }

  /// Whether there is nothing to wait for; the continuation is kept otherwise.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    guard !active.isEmpty else { return true }
    waiters.append((next, continuation))
    return false
  }
}

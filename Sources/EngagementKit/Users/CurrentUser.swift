import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// One stay of a user.
///
/// `generation` increases with every sign-in and sign-out. Work, streams and callbacks carry the
/// generation in which they began. A result of an older generation is applied to its own partition
/// or dropped. It is never shown, and never sent with another user's credential.
struct UserSession: Hashable, Sendable {
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

/// The user who uses the application now.
final class CurrentUser: Sendable {
  fileprivate struct State {
    var userSession: UserSession
    /// The partition of every generation, from the first.
    var partitions: [Partition]
    /// Set after one user has left and before the next is current.
    var change: Change?
    /// Those whose user was erased or purged. Their ids are never used again.
    var erased: Set<Partition.ID> = []
    var lastCommit = 0
    /// The commits under way.
    var commits: Set<Int> = []
  }

  /// A change of user that is under way.
  struct Change: Sendable {
    /// The providers for which the next user adopts the anonymous one's rows.
    var adopters: Set<ProviderID>
  }

  private let state: Locked<State>
  /// Fires after each commit.
  private let commitEnds = AsyncSignal()

  init(_ partition: Partition) {
    let userSession = UserSession(partition: partition, generation: 1)
    state = Locked(State(userSession: userSession, partitions: [partition]))
  }

  var userSession: UserSession { state.withLock { $0.userSession } }

  func isCurrent(_ userSession: UserSession) -> Bool {
    self.userSession.generation == userSession.generation
  }

  /// The user session that the attempt may be sent for; nil if that user has left and may be back.
  func userSession(acting attempt: Attempt) -> UserSession? {
    state.withLock { state in
      let isPresent = attempt.isMade(by: state.userSession.user, in: state.userSession.generation)
      return state.change == nil && isPresent ? state.userSession : nil
    }
  }

  /// Begins the next generation.
  @discardableResult func move(
    into partition: Partition, adopting anonymous: Partition.ID? = nil,
    for adopters: Set<ProviderID> = []
  ) -> UserSession {
    state.withLock { state in
      state.change = nil
      state.userSession = UserSession(
        partition: partition, generation: state.userSession.generation + 1, adopted: anonymous,
        adopters: adopters)
      state.partitions.append(partition)
      return state.userSession
    }
  }

  // MARK: Between two users

  /// Lets the current user go. When this returns nothing more is sent for any user, and commits
  /// that come later change nothing of the installation.
  func leave(_ change: Change) async {
    await waitForCommits { $0.change = change }
  }

  /// The user stays: the next one could not sign in.
  func stay() {
    state.withLock { state in
      state.change = nil
      state.erased.remove(state.userSession.partition.id)
    }
  }

  /// When this returns, nothing is committed to the partition any more.
  func forget(_ partition: Partition) async {
    await waitForCommits { $0.erased.insert(partition.id) }
  }

  /// Makes the change and waits for the commits that are under way at that moment.
  private func waitForCommits(before change: (inout State) -> Void) async {
    let last = state.withLock { state in
      change(&state)
      return state.lastCommit
    }
    while true {
      let seen = commitEnds.count
      let isDone = state.withLock { state in state.commits.allSatisfy { $0 > last } }
      if isDone { return }
      await commitEnds.waitThroughCancellation(after: seen)
    }
  }

  /// Commits something. No change of user happens meanwhile, so the body must wait for the disk
  /// alone.
  ///
  /// The body is told the partition of the attempt's user, as it was in the attempt's generation, and
  /// whether the attempt speaks for the installation at this provider. Throws `signedOut` for a user who
  /// was erased since.
  func committing<Result: Sendable>(
    by attempt: Attempt, for provider: ProviderID,
    _ body: (_ partition: Partition, _ speaksForInstallation: Bool) async throws(EngagementError)
      -> Result
  ) async throws(EngagementError) -> Result {
    let start = state.withLock { state -> (commit: Int, partition: Partition, speaks: Bool)? in
      guard let partition = state.partition(of: attempt), !state.erased.contains(partition.id)
      else { return nil }
      state.lastCommit += 1
      state.commits.insert(state.lastCommit)
      return (state.lastCommit, partition, state.speaksForInstallation(attempt, at: provider))
    }
    guard let start else {
      throw EngagementError(.signedOut, "The user was erased.", provider: provider)
    }
    defer {
      state.withLock { _ = $0.commits.remove(start.commit) }
      commitEnds.fire()
    }
    return try await body(start.partition, start.speaks)
  }
}

extension CurrentUser.State {
  /// Whether what the attempt brings may change the installation at the provider.
  ///
  /// After a user has left, the vendor may know the installation under another id; only an
  /// anonymous user whom the next one adopted still speaks for it. A user who has come back does
  /// not speak for it with attempts of the earlier stay: others may have used it in between.
  fileprivate func speaksForInstallation(_ attempt: Attempt, at provider: ProviderID) -> Bool {
    let generation = userSession.generation
    if let change {
      return change.adopters.contains(provider) && attempt.isMade(by: .anonymous, in: generation)
    }
    return attempt.isMade(by: userSession.user, in: generation)
      || userSession.adopters.contains(provider)
        && attempt.isMade(by: .anonymous, in: generation - 1)
  }

  /// The partition that the attempt was made in; nil if its user was never here.
  fileprivate func partition(of attempt: Attempt) -> Partition? {
    guard let generation = attempt.generation else {
      return partitions.last { $0.user == attempt.user }
    }
    return partitions.indices.contains(generation - 1) ? partitions[generation - 1] : nil
  }
}

extension Attempt {
  fileprivate func isMade(by user: User, in generation: Int) -> Bool {
    self.user == user && (self.generation ?? generation) == generation
  }
}

import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Erases everything that this installation holds about a user: items, events, pending actions,
  /// credentials and secrets. When this returns, none of it is in any file.
  ///
  /// The current user is signed out first, with `undelivered: .discard`. Vendors keep what they
  /// have; `setConsent(.denied)` tells those that have an opt-out to collect nothing more. A vendor that
  /// could not be told of a sign-out never is: the report names those that may still push.
  ///
  /// Damaged caches that were set aside are removed too: one user cannot be erased from them.
  ///
  /// Throws `notFound` for a user of whom nothing is held. If it throws anything else, or the process
  /// ends before it returns, call it again: what was erased stays erased, and the rest follows.
  public func eraseData(of user: User) async throws(EngagementError) -> ErasureReport {
    try lifecycle.checkOpen()
    let isRepeated = try await dependencies.store.beginErasure()
    var report = ErasureReport()
    if dependencies.currentUser.userSession.user == user, !user.isAnonymous {
      let signOut = try await signOut(undelivered: .discard)
      report.signOut = signOut
      report.mayStillPush = Set(signOut.providers.filter { $0.value.mayStillPush }.keys)
    }
    // Imported first, so that entries of an extension are erased with the rest.
    try await journal.importEntries()
    let partition: Partition
    do throws(EngagementError) {
      partition = try await heldPartition(of: user)
    } catch {
      // Only secrets may be left, after a damaged cache was set aside, and that cache; or what an
      // erasure that was killed had not come to.
      try await eraseBesideCache(user)
      guard error.code == .notFound else { throw error }
      let hadCopies = try await dependencies.store.endErasure()
      guard isRepeated || hadCopies else { throw error }
      report.isKnown = false
      return report
    }
    report.mayStillPush.formUnion(try await dependencies.untold(of: partition))
    // Later answers to requests of this user are dropped.
    await dependencies.currentUser.forget(partition)
    sessions.forget(partition)
    await presentations.forget(partition)
    try await eraseBesideCache(user)
    let erased = try await dependencies.store.erase(partition, at: dependencies.clock.now)
    await dependencies.commitPublisher.publish(erased, of: partition)
    // Again: until now another process could keep a file for a user who was known.
    try await eraseBesideCache(user)
    report.discarded = erased.ended.count + (report.signOut?.discarded ?? 0)
    if user.isAnonymous, dependencies.currentUser.userSession.partition == partition {
      try await continueAnonymously(user)
    }
    // Entries that an extension appended meanwhile for the erased user are dropped.
    try await journal.importEntries()
    _ = try await dependencies.store.endErasure()
    return report
  }

  /// Everything that the cache holds about a user, as one object for each thing, with its `record`.
  /// Credentials and secrets are left out. Throws `notFound` for a user of whom nothing is held.
  public func exportData(of user: User) async throws(EngagementError) -> [JSONObject] {
    try lifecycle.checkOpen()
    try await journal.importEntries()
    let partition = try await heldPartition(of: user)
    return try await dependencies.store.held(for: partition)
  }

  /// Erases what is not in the cache itself: secrets, files and the mark of who was here before.
  private func eraseBesideCache(_ user: User) async throws(EngagementError) {
    try await dependencies.secrets.removeAll(of: user, in: dependencies.environment)
    try await presentations.files.erase(user, in: dependencies.environment)
    try await userTransitions.anonymousStays.forgetFormer(user)
  }

  /// The user's partition, which is not made for the question.
  private func heldPartition(of user: User) async throws(EngagementError) -> Partition {
    if let partition = try await dependencies.store.knownPartition(of: user) { return partition }
    throw EngagementError(.notFound, "Nothing is held about this user; check the id.")
  }

  /// Continues as the anonymous user, with an empty partition.
  private func continueAnonymously(_ user: User) async throws(EngagementError) {
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    try await feedPublisher.prepare(for: partition)
    journal.setOwner(partition)
    let userSession = dependencies.currentUser.move(into: partition)
    try await feedPublisher.enter(userSession)
  }
}

extension Engagement {
  /// What an erasure did.
  public struct ErasureReport: Hashable, Sendable {
    /// Whether the cache knew the user. If not, it finished an erasure that was interrupted, or
    /// removed damaged caches that were set aside.
    public var isKnown = true
    /// How many actions were dropped before they could be sent.
    public var discarded = 0
    /// The vendors that were given a push token and have not confirmed that they let go of it: they were
    /// not told that the user has signed out.
    public var mayStillPush: Set<ProviderID> = []
    /// What the sign-out did; nil if the user was not the current one.
    public var signOut: SignOutReport?

    public init() {}
  }
}

extension SignOutReport {
  fileprivate var discarded: Int { providers.values.reduce(0) { $0 + $1.discarded } }
}

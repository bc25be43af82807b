import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Takes away everything that is held about a person here: what was shown, what was done, what
  /// waits to be sent, credentials and secrets. When it returns none of it is in any file.
  ///
  /// The person who uses the application is signed out first, dropping what waits. What vendors
  /// hold is theirs to erase: see `setConsent(_:)` for telling them to keep nothing.
  ///
  /// Where it throws, call it again: what was taken away stays away.
  public func eraseData(of user: User) async throws(EngagementError) -> ErasureReport {
    try lifecycle.checkOpen()
    var report = ErasureReport()
    if dependencies.currentUser.present.user == user, !user.isAnonymous {
      report.signOut = try await signOut(undelivered: .discard)
    }
    // What an extension left is taken away with the rest.
    try await journal.fold()
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    // What is still on its way for the user finds no place any more.
    await dependencies.currentUser.forget(user)
    sessions.forget(partition)
    try await dependencies.secrets.removeAll(of: user, in: dependencies.environment)
    let erased = try await dependencies.store.erase(partition, at: dependencies.clock.now)
    await dependencies.commitPublisher.publish(erased, of: partition)
    report.discarded = erased.ended.count + (report.signOut?.discarded ?? 0)
    if user.isAnonymous, dependencies.currentUser.present.partition == partition {
      try await beginAnew(user)
    }
    // Entries that an extension has left meanwhile for the erased user are dropped.
    try await journal.fold()
    return report
  }

  /// Everything that is held about a person here, one object at a time, each with its `kind`; no
  /// credential and no secret.
  public func exportData(of user: User) async throws(EngagementError) -> [JSONObject] {
    try lifecycle.checkOpen()
    try await journal.fold()
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    return try await dependencies.store.held(for: partition)
  }

  /// Continues as the anonymous user, with an empty partition.
  private func beginAnew(_ user: User) async throws(EngagementError) {
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    journal.goOn(for: partition)
    let userSession = dependencies.currentUser.move(into: partition)
    try await feedPublisher.enter(userSession)
  }
}

extension Engagement {
  /// What an erasure took away.
  public struct ErasureReport: Hashable, Sendable {
    /// How many actions were dropped before they could be sent.
    public var discarded = 0
    /// What the sign-out did, for a person who was using the application.
    public var signOut: SignOutReport?

    public init() {}
  }
}

extension SignOutReport {
  fileprivate var discarded: Int { providers.values.reduce(0) { $0 + $1.discarded } }
}

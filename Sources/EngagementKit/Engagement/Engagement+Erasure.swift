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
  public func erase(_ user: User) async throws(EngagementError) -> ErasureReport {
    var report = ErasureReport()
    if house.occupancy.present.user == user, !user.isAnonymous {
      report.signOut = try await signOut(leftovers: .wipe)
    }
    // What an extension left is taken away with the rest.
    try await journal.fold()
    let partition = try await house.store.partition(of: user, at: house.clock.now)
    // What is still on its way for the user finds no place any more.
    await house.occupancy.forget(user)
    sessions.forget(partition)
    try await house.secrets.removeAll(of: user, in: house.environment)
    let erased = try await house.store.erase(partition, at: house.clock.now)
    await house.bulletin.post(erased, of: partition)
    report.wiped = erased.ended.count + (report.signOut?.wiped ?? 0)
    if user.isAnonymous, house.occupancy.present.partition == partition {
      try await beginAnew(user)
    }
    // What an extension left meanwhile for the person finds nobody.
    try await journal.fold()
    return report
  }

  /// Everything that is held about a person here, one object at a time, each with its `kind`; no
  /// credential and no secret.
  public func export(of user: User) async throws(EngagementError) -> [JSONObject] {
    try await journal.fold()
    let partition = try await house.store.partition(of: user, at: house.clock.now)
    return try await house.store.held(for: partition)
  }

  /// Nobody in particular goes on with nothing.
  private func beginAnew(_ user: User) async throws(EngagementError) {
    let partition = try await house.store.partition(of: user, at: house.clock.now)
    journal.goOn(for: partition)
    let occupant = house.occupancy.move(into: partition)
    try await showcase.enter(occupant)
  }
}

/// What an erasure took away.
public struct ErasureReport: Hashable, Sendable {
  /// How many actions were dropped before they could be sent.
  public var wiped = 0
  /// What the sign-out did, for a person who was using the application.
  public var signOut: SignOutReport?

  public init() {}
}

extension SignOutReport {
  fileprivate var wiped: Int { providers.values.reduce(0) { $0 + $1.wiped } }
}

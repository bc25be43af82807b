import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

/// The anonymous stays before and between people, and who may adopt what waits of one.
struct AnonymousStays: Sendable {
  private let dependencies: KitDependencies

  init(_ dependencies: KitDependencies) { self.dependencies = dependencies }

  /// Keeps what still waits of an earlier anonymous stay apart from the one that begins. Other people
  /// have used the application in between, so no user adopts it any more. The user who was signed in
  /// before is stored with the stay that begins.
  func keepApart(_ anonymous: Partition, after former: User) async throws(EngagementError) {
    let state = KitState(dependencies)
    try await state.keep([Self.formerUser: Self.digest(of: former)], .user, in: anonymous)
    let last = try await dependencies.store.lastPending(in: anonymous)
    guard last > 0 else { return }
    try await state.keep([Self.earlierStays: .integer(last)], .user, in: anonymous)
  }

  /// Whether the user may adopt the anonymous actions. Only the user who was signed in before them may;
  /// if there was none, the first user.
  func mayAdopt(
    _ anonymous: Partition, as user: User
  ) async throws(EngagementError) -> Bool {
    let former = try await KitState(dependencies).value(.user, Self.formerUser, in: anonymous)
    return former == nil || former == Self.digest(of: user)
  }

  /// Whether a person has signed out before the anonymous stay.
  func followsPerson(_ anonymous: Partition) async throws(EngagementError) -> Bool {
    try await KitState(dependencies).value(.user, Self.formerUser, in: anonymous) != nil
  }

  /// Replaces the digest of this user, if it marks who was signed in before the anonymous stay. Then no
  /// user may adopt the anonymous actions.
  func forgetFormer(_ user: User) async throws(EngagementError) {
    guard let anonymous = try await dependencies.store.knownPartition(of: .anonymous) else {
      return
    }
    let state = KitState(dependencies)
    guard let former = try await state.value(.user, Self.formerUser, in: anonymous),
      former == Self.digest(of: user)
    else { return }
    try await state.keep([Self.formerUser: .string(dependencies.key().text)], .user, in: anonymous)
  }

  /// Gives what waits of the last stay to the next user.
  func adopt(
    _ anonymous: Partition, into next: Partition, for adopters: Set<ProviderID>
  ) async throws(EngagementError) -> CommitReport {
    let earlier = try await KitState(dependencies).value(.user, Self.earlierStays, in: anonymous)
    return try await dependencies.store.adopt(
      anonymous, into: next, for: adopters, after: earlier?.integer ?? 0)
  }

  private static func digest(of user: User) -> JSON? {
    user.id.map { .string(SHA256.digest(of: $0.rawValue).description) }
  }

  /// Who was signed in before the anonymous stay, as a digest: an erasure of that user leaves nothing
  /// that names them.
  private static let formerUser = "anonymous.formerUser"
  /// The last row of earlier anonymous stays.
  private static let earlierStays = "anonymous.earlierStays"
}

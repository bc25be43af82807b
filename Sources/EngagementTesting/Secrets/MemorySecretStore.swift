public import EngagementKit
public import EngagementModel

/// Keeps secrets in memory, by the rules of every store.
public final class MemorySecretStore: Engagement.SecretStore {
  private let table = Locked(SecretTable())

  public init() {}

  public func secrets(of owner: Engagement.SecretOwner) async -> [String: Secret] {
    table.withLock { $0.secrets(of: owner) }
  }

  public func set(
    _ secrets: [String: Secret?], of owner: Engagement.SecretOwner
  ) async throws(EngagementError) {
    try table.withLock { (table) throws(EngagementError) in try table.set(secrets, of: owner) }
  }

  public func removeAll(of user: User, in environment: String) async {
    table.withLock { $0.removeAll(of: user, in: environment) }
  }
}

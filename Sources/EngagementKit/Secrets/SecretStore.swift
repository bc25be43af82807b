public import EngagementModel

extension Engagement {
  /// Keeps secrets, such as device tokens and push tokens. The cache contains no secret.
  ///
  /// The effect of `set` and `removeAll` is durable when they return. Names are compared by bytes.
  public protocol SecretStore: Sendable {
    /// Every secret of the owner.
    func secrets(of owner: SecretOwner) async throws(EngagementError) -> [String: Secret]

    /// Every secret of each of the owners. The default implementation reads them one by one.
    func secrets(
      of owners: [SecretOwner]
    ) async throws(EngagementError) -> [SecretOwner: [String: Secret]]

    /// Stores all the secrets under their names or none; nil removes one.
    func set(_ secrets: [String: Secret?], of owner: SecretOwner) async throws(EngagementError)

    /// Removes every secret of a user, of all providers.
    func removeAll(of user: User, in environment: String) async throws(EngagementError)
  }

  /// The owner of a secret.
  public struct SecretOwner: Hashable, Sendable {
    public var environment: String
    /// The provider; nil for a secret of all providers, such as a push token.
    public var provider: ProviderID?
    /// The user; nil for the installation's own.
    public var user: User?

    public init(environment: String, provider: ProviderID?, user: User?) {
      self.environment = environment
      self.provider = provider
      self.user = user
    }

    public static func == (left: SecretOwner, right: SecretOwner) -> Bool {
      left.environment.hasSameBytes(as: right.environment) && left.provider == right.provider
        && left.user == right.user
    }

    public func hash(into hasher: inout Hasher) {
      environment.hashBytes(into: &hasher)
      hasher.combine(provider)
      hasher.combine(user)
    }
  }
}

extension Engagement.SecretStore {
  public func secrets(
    of owners: [Engagement.SecretOwner]
  ) async throws(EngagementError) -> [Engagement.SecretOwner: [String: Secret]] {
    var found: [Engagement.SecretOwner: [String: Secret]] = [:]
    for owner in owners { found[owner] = try await secrets(of: owner) }
    return found
  }
}

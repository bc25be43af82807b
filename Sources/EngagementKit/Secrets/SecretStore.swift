public import EngagementModel

extension Engagement {
  /// Keeps what vendors and the application trust this installation with: tokens of devices, push
  /// tokens. None of it is ever in the cache.
  ///
  /// What `set` and `removeAll` did is durable when they return. Names are compared by bytes.
  public protocol SecretStore: Sendable {
    /// Every secret under the owner.
    func secrets(of owner: SecretOwner) async throws(EngagementError) -> [String: Secret]

    /// Every secret under each of the owners. What is there by default asks for them one by one.
    func secrets(
      of owners: [SecretOwner]
    ) async throws(EngagementError) -> [SecretOwner: [String: Secret]]

    /// Keeps secrets under their names, all or none; nil forgets one.
    func set(_ secrets: [String: Secret?], of owner: SecretOwner) async throws(EngagementError)

    /// Forgets everything of a user at every provider.
    func removeAll(of user: User, in environment: String) async throws(EngagementError)
  }

  /// Whose secret it is.
  public struct SecretOwner: Hashable, Sendable {
    public var environment: String
    /// The provider that it is for; nil for all, such as a push token.
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

import EngagementAdapterAPI
import EngagementModel

/// The secrets of this installation and of its users, by provider; and the push tokens, which are
/// for all providers.
struct ProviderSecrets: Sendable {
  let store: any SecretStore
  let environment: String
  /// What the store notes of a token of which a vendor is told.
  var digests = PushTokenDigests()

  private func owner(_ provider: ProviderID?, _ user: User?) -> SecretOwner {
    SecretOwner(environment: environment, provider: provider, user: user)
  }

  /// A vendor's secrets of the installation and of the user, and the application's push tokens.
  func contents(
    of provider: ProviderID, for user: User
  ) async throws(EngagementError) -> (
    secrets: ScopedValues<Secret>, push: [PushEnvironment: PushRegistration]
  ) {
    let (installation, own, all) = (owner(provider, nil), owner(provider, user), owner(nil, nil))
    let found = try await store.secrets(of: [installation, own, all])
    var values = ScopedValues<Secret>()
    for (name, secret) in found[installation] ?? [:] { values[.installation, name] = secret }
    for (name, secret) in found[own] ?? [:] { values[.user, name] = secret }
    return (values, push(in: found[all] ?? [:]))
  }

  /// Keeps the secrets and the push tokens among the changes, in their order.
  func keep(
    _ changes: [Change], of provider: ProviderID, for user: User
  ) async throws(EngagementError) {
    var kept: [Scope: [String: Secret?]] = [:]
    for case .secrets(let change) in changes.map(\.destination) {
      switch change {
      case .secret(let scope, let name, let secret):
        kept[scope, default: [:]].updateValue(secret, forKey: name)
      case .pushToken(let registration): try await setPush(registration)
      }
    }
    for (scope, secrets) in kept {
      try await store.set(secrets, of: owner(provider, scope == .user ? user : nil))
    }
  }

  // MARK: Push tokens

  /// The application's push tokens.
  func push() async throws(EngagementError) -> [PushEnvironment: PushRegistration] {
    push(in: try await store.secrets(of: owner(nil, nil)))
  }

  private func push(in secrets: [String: Secret]) -> [PushEnvironment: PushRegistration] {
    var push: [PushEnvironment: PushRegistration] = [:]
    for environment in PushEnvironment.allCases {
      push[environment] = PushNames(environment).registration(environment, in: secrets)
    }
    digests.note(push)
    return push
  }

  func setPush(_ registration: PushRegistration) async throws(EngagementError) {
    try await store.set(
      PushNames(registration.environment).secrets(registration), of: owner(nil, nil))
    digests.note([registration.environment: registration])
  }

  func removePush(_ environment: PushEnvironment) async throws(EngagementError) {
    try await store.set(PushNames(environment).secrets(nil), of: owner(nil, nil))
  }

  // MARK: Push tokens to unregister

  /// The operations that still need a token.
  func retiredKeys() async throws(EngagementError) -> Set<OperationKey> {
    Set(try await store.secrets(of: owner(nil, nil)).keys.compactMap(PushNames.key(in:)))
  }

  /// The token that an operation unregisters.
  func retired(
    for key: OperationKey, _ environment: PushEnvironment
  ) async throws(EngagementError) -> PushRegistration? {
    PushNames(key).registration(environment, in: try await store.secrets(of: owner(nil, nil)))
  }

  func retire(
    _ registration: PushRegistration, for keys: [OperationKey]
  ) async throws(EngagementError) {
    try await setRetired(registration, for: keys)
  }

  func forgetRetired(_ keys: Set<OperationKey>) async throws(EngagementError) {
    guard !keys.isEmpty else { return }
    try await setRetired(nil, for: Array(keys))
  }

  private func setRetired(
    _ registration: PushRegistration?, for keys: [OperationKey]
  ) async throws(EngagementError) {
    var secrets: [String: Secret?] = [:]
    for key in keys { secrets.merge(PushNames(key).secrets(registration)) { $1 } }
    try await store.set(secrets, of: owner(nil, nil))
  }
}

/// The names of a token and its service in the secret store.
private struct PushNames {
  private static let retired = "push.retired."
  private static let tokenEnd = ".token"

  let token: String
  let service: String

  private init(_ stem: String) {
    token = stem + Self.tokenEnd
    service = stem + ".service"
  }

  init(_ environment: PushEnvironment) { self.init("push.\(environment.rawValue)") }

  /// The names for a token that an operation unregisters.
  init(_ key: OperationKey) { self.init(Self.retired + key.text) }

  /// The operation that the name of a retired token names.
  static func key(in name: String) -> OperationKey? {
    guard name.hasPrefix(retired), name.hasSuffix(tokenEnd) else { return nil }
    let digits = name.dropFirst(retired.count).dropLast(tokenEnd.count)
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    return OperationKey(high, low)
  }

  func registration(
    _ environment: PushEnvironment, in secrets: [String: Secret]
  ) -> PushRegistration? {
    guard let token = secrets[token], let service = secrets[service] else { return nil }
    return PushRegistration(
      token: token, service: PushRegistration.Service(service.revealed), environment: environment)
  }

  /// The secrets that store the registration; nil removes it.
  func secrets(_ registration: PushRegistration?) -> [String: Secret?] {
    [token: registration?.token, service: registration.map { Secret($0.service.rawValue) }]
  }
}

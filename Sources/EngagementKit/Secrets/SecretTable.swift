package import EngagementModel

/// The secrets of all owners, in memory: the rules that every `SecretStore` of ours keeps.
package struct SecretTable: Hashable, Sendable {
  var owners: [SecretOwner: [SecretName: Secret]] = [:]

  package init() {}

  package func secrets(of owner: Engagement.SecretOwner) -> [String: Secret] {
    let named = owners[owner, default: [:]]
    // No two names are one to Swift: `set` refuses that.
    return Dictionary(
      named.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Takes all changes or none; nil forgets a secret.
  ///
  /// Throws `invalidArgument` for a NUL, which no file of ours can hold, and for a name that
  /// Swift takes for another one's.
  package mutating func set(
    _ changes: [String: Secret?], of owner: Engagement.SecretOwner
  ) throws(EngagementError) {
    try owner.refuseNUL()
    var named = owners[owner, default: [:]]
    for (name, secret) in changes {
      guard !name.utf8.contains(0), secret?.revealed.utf8.contains(0) != true else {
        throw .nulInSecret
      }
      named[SecretName(name)] = secret
    }
    guard Set(named.keys.map(\.rawValue)).count == named.count else {
      throw EngagementError(
        .invalidArgument, "The names of two secrets differ only in how letters are composed")
    }
    owners[owner] = named.isEmpty ? nil : named
  }

  package mutating func removeAll(of user: User, in environment: String) {
    owners = owners.filter { owner, _ in
      owner.user != user || !owner.environment.hasSameBytes(as: environment)
    }
  }
}

/// The name of a secret, which may hold a vendor's id.
struct SecretName: ByteComparable {
  let rawValue: String
}

extension SecretOwner {
  fileprivate func refuseNUL() throws(EngagementError) {
    let texts = [environment, provider?.rawValue, user?.id?.rawValue]
    guard texts.allSatisfy({ $0?.utf8.contains(0) != true }) else { throw .nulInSecret }
  }
}

extension EngagementError {
  fileprivate static let nulInSecret = EngagementError(
    .invalidArgument, "A secret, its name or its owner has a NUL")
}

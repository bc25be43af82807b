import EngagementModel

/// Values by scope and key.
public struct ScopedValues<Value: Hashable & Sendable>: Hashable, Sendable {
  private var installation: [Key: Value] = [:]
  private var user: [Key: Value] = [:]

  /// A key contains vendors' ids, so it is compared by bytes.
  private struct Key: ByteComparable {
    let rawValue: String
  }

  public init() {}

  /// The value of the key in the scope. Setting nil deletes it.
  public subscript(_ scope: Scope, _ key: String) -> Value? {
    get {
      switch scope {
      case .installation: installation[Key(key)]
      case .user: user[Key(key)]
      }
    }
    set {
      switch scope {
      case .installation: installation[Key(key)] = newValue
      case .user: user[Key(key)] = newValue
      }
    }
  }

  /// All values of a scope, ordered by key.
  public func all(_ scope: Scope) -> [(key: String, value: Value)] {
    (scope == .installation ? installation : user)
      .sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value) }
  }

  /// Deletes all values of a scope.
  public mutating func removeAll(_ scope: Scope) {
    switch scope {
    case .installation: installation = [:]
    case .user: user = [:]
    }
  }
}

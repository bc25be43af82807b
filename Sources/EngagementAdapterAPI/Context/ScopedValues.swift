import EngagementModel

/// Values by scope and key.
public struct ScopedValues<Value: Hashable & Sendable>: Hashable, Sendable {
  private var installation: [Key: Value] = [:]
  private var user: [Key: Value] = [:]

  /// A key holds vendors' ids, so it is compared by bytes.
  private struct Key: ByteComparable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  public init() {}

  /// The value of the key in the scope; setting nil forgets it.
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

  /// Everything in a scope, ordered by key.
  public func all(_ scope: Scope) -> [(key: String, value: Value)] {
    (scope == .installation ? installation : user)
      .sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }

  /// Forgets everything in a scope.
  public mutating func removeAll(_ scope: Scope) {
    switch scope {
    case .installation: installation = [:]
    case .user: user = [:]
    }
  }
}

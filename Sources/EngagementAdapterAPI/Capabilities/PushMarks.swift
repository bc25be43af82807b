public import EngagementModel

/// The keys at the top of a payload by which a vendor's pushes are told from everybody else's.
///
/// A vendor without any is asked last, about what bears nobody's mark.
public struct PushMarks: Hashable, Sendable {
  public var keys: [String]
  /// Beginnings of keys.
  public var prefixes: [String]

  public init(keys: [String] = [], prefixes: [String] = []) {
    self.keys = keys
    self.prefixes = prefixes
  }

  public static let none = PushMarks()

  /// Whether the payload bears one of them.
  public func areIn(_ push: JSON) -> Bool {
    guard let object = push.object else { return false }
    return keys.contains { object[$0] != nil }
      || object.members.contains { member in
        prefixes.contains { member.key.utf8.starts(with: $0.utf8) }
      }
  }
}

public import EngagementModel

/// The top-level keys that identify a vendor's pushes.
///
/// The kit asks a vendor without marks last, about payloads with no vendor's mark.
public struct PushMarks: Hashable, Sendable {
  public var keys: [String]
  /// Prefixes of keys.
  public var prefixes: [String]

  public init(keys: [String] = [], prefixes: [String] = []) {
    self.keys = keys
    self.prefixes = prefixes
  }

  public static let none = PushMarks()

  /// Whether the payload has one of the marks.
  public func areIn(_ push: JSON) -> Bool {
    guard let object = push.object else { return false }
    return keys.contains { object[$0] != nil }
      || object.members.contains { member in
        prefixes.contains { member.key.utf8.starts(with: $0.utf8) }
      }
  }
}

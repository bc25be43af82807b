import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

/// Digests of stored values of one kind. They tell a value that was never stored from one whose row is lost
/// or damaged.
struct ValueSeals: Sendable {
  /// The name under which the digests are stored.
  private let name: String
  private let seals: JSONObject

  init(_ name: String, in memory: ProviderMemory) {
    self.name = name
    seals = memory.json(.installation, name)?.object ?? [:]
  }

  /// The names of sealed values that are gone or others than were stored. Caches of an earlier release have
  /// no seals.
  func broken(in memory: ProviderMemory) -> [String] {
    seals.members.map(\.key).filter { isBroken($0, in: memory) }
  }

  /// Whether the value is sealed, and gone or another one than was stored.
  func isBroken(_ key: String, in memory: ProviderMemory) -> Bool {
    seals[key].map { $0 != Self.seal(of: key, in: memory) } ?? false
  }

  /// The change that seals what is stored under each of the names.
  func change(_ keys: [String], in memory: ProviderMemory) -> Change {
    var seals = seals
    for key in keys { seals[key] = Self.seal(of: key, in: memory) }
    return KitState.change(.installation, name, seals.members.isEmpty ? nil : .object(seals))
  }

  private static func seal(of key: String, in memory: ProviderMemory) -> JSON? {
    memory.values[.installation, key].map { text in
      .string(String(SHA256.digest(of: key + "\n" + text).description.prefix(16)))
    }
  }
}

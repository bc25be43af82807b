import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The kit's own stored values, in the cache beside those of the adapters.
struct KitState: Sendable {
  static let owner = Store.kit

  let dependencies: KitDependencies

  init(_ dependencies: KitDependencies) { self.dependencies = dependencies }

  /// The value with the name; nil if there is none or it cannot be read.
  func value(
    _ scope: Scope, _ name: String, in partition: Partition
  ) async throws(EngagementError) -> JSON? {
    try await dependencies.store.memory(of: Self.owner, in: partition).json(scope, name)
  }

  /// Stores all values or none; nil removes one. They are durable when this returns.
  func keep(
    _ values: KeyValuePairs<String, JSON?>, _ scope: Scope, in partition: Partition
  ) async throws(EngagementError) {
    let changes = values.map { Self.change(scope, $0, $1) }
    _ = try await dependencies.store.commit(
      changes, from: Self.owner, in: partition, at: dependencies.clock.now)
  }

  /// Stores a value; nil removes it.
  static func change(_ scope: Scope, _ name: String, _ value: JSON?) -> Change {
    .keep(scope, name, value.map { String(decoding: $0.encoded(), as: UTF8.self) })
  }
}

extension ProviderMemory {
  /// The stored JSON with the name; nil if there is none or it cannot be read.
  func json(_ scope: Scope, _ name: String) -> JSON? {
    values[scope, name].flatMap { try? JSON(parsing: Array($0.utf8)) }
  }

  /// The values as they are once the changes are stored.
  func storing(_ changes: [Change]) -> ProviderMemory {
    var memory = self
    for case .keep(let scope, let name, let value) in changes { memory.values[scope, name] = value }
    return memory
  }
}

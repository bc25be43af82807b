import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementStore

/// What the kit itself remembers, kept in the cache beside what adapters ask to be remembered.
struct KitState: Sendable {
  /// No provider of an application has this name: an empty one is refused.
  static let owner = ProviderID("")

  let dependencies: KitDependencies

  init(_ dependencies: KitDependencies) { self.dependencies = dependencies }

  /// What is kept under the name; nil where there is nothing, or nothing that can be read.
  func value(
    _ scope: Scope, _ name: String, in partition: Partition
  ) async throws(EngagementError) -> JSON? {
    try await dependencies.store.memory(of: Self.owner, in: partition).json(scope, name)
  }

  /// Keeps values, all or none; nil forgets one. Durable when it returns.
  func keep(
    _ values: KeyValuePairs<String, JSON?>, _ scope: Scope, in partition: Partition
  ) async throws(EngagementError) {
    let changes = values.map { name, value in
      Change.keep(scope, name, value.map { String(decoding: $0.encoded(), as: UTF8.self) })
    }
    _ = try await dependencies.store.commit(
      changes, from: Self.owner, in: partition, at: dependencies.clock.now)
  }
}

extension ProviderMemory {
  /// The JSON that is kept under the name; nil where there is nothing, or nothing that can be read.
  func json(_ scope: Scope, _ name: String) -> JSON? {
    values[scope, name].flatMap { try? JSON(parsing: Array($0.utf8)) }
  }
}

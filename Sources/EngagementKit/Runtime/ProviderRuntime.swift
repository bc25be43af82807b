import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementStore

/// One provider at run time: its host and the runner of its operations.
final class ProviderRuntime: Sendable {
  let host: ProviderHost
  let runner: OperationRunner
  /// The generation in which the vendor's settings were last read.
  private let settingsGeneration = Locked<Int?>(nil)

  var provider: Provider { host.provider }
  var id: ProviderID { host.provider.id }
  var capabilities: AdapterCapabilities { host.provider.adapter.capabilities }

  init(_ host: ProviderHost) {
    self.host = host
    runner = OperationRunner(host.provider.adapter, in: host)
  }

  func supports(_ verb: Operation.Verb) -> Bool {
    capabilities.ability(verb).travel != .unsupported
  }

  /// Notes that the application has given up a push token which the vendor may still have: it has no
  /// request to give one back.
  func noteToken(by userSession: UserSession) async throws(EngagementError) {
    guard supports(.registerPush), !supports(.unregisterPush) else { return }
    let dependencies = host.dependencies
    let memory = try await dependencies.store.memory(of: id, in: userSession.partition)
    guard !mayHaveToken(memory) else { return }
    let attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
    try await host.commit([.keep(.installation, Self.tokenName, "1")], by: attempt)
  }

  /// Whether the vendor may still have a push token that the application has given up.
  func mayHaveToken(_ memory: ProviderMemory) -> Bool {
    memory.values[.installation, Self.tokenName] != nil
  }

  private static let tokenName = "pushTokenGivenUp"

  /// Whether the vendor's settings are still to be read in this generation.
  func needsSettings(in generation: Int) -> Bool {
    supports(.settings) && settingsGeneration.withLock { $0 != generation }
  }

  func noteSettings(in generation: Int) { settingsGeneration.withLock { $0 = generation } }
}

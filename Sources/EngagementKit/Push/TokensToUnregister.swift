import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Push tokens that the application has unregistered or replaced, each until every vendor has been told.
/// Some vendors need the token itself to unregister it.
final class TokensToUnregister: CommitObserver {
  private let providerSecrets: ProviderSecrets
  /// The operations that unregister or replace a token. The end of any other operation reads no secret.
  private let keys = Locked<Set<OperationKey>>([])

  init(_ providerSecrets: ProviderSecrets) { self.providerSecrets = providerSecrets }

  /// Finds the tokens of earlier runs, and deletes those that have no operation after a kill.
  func load(from store: Store) async throws(EngagementError) {
    let known = try await providerSecrets.retiredKeys()
    guard !known.isEmpty else { return }
    let pending = try await store.pending(among: known)
    keys.withLock { $0.formUnion(pending) }
    try await providerSecrets.forgetRetired(known.subtracting(pending))
  }

  /// Whether an operation waits that unregisters or replaces a token.
  var isEmpty: Bool { keys.withLock(\.isEmpty) }

  /// Keeps the environment's token for the operations, which are not accepted yet.
  func retire(
    _ environment: PushEnvironment, for operations: [OperationKey]
  ) async throws(EngagementError) {
    guard let registration = try await providerSecrets.push()[environment] else { return }
    try await retire(registration, for: operations)
  }

  func retire(
    _ registration: PushRegistration, for operations: [OperationKey]
  ) async throws(EngagementError) {
    keys.withLock { $0.formUnion(operations) }
    try await providerSecrets.retire(registration, for: operations)
  }

  func observe(_ report: CommitReport, of partition: Partition) async {
    await forget(report.ended.map(\.key))
  }

  /// Forgets the tokens of operations that have ended, however they did.
  func forget(_ operations: [OperationKey]) async {
    let gone = keys.withLock { keys in
      let gone = keys.intersection(operations)
      keys.subtract(gone)
      return gone
    }
    guard !gone.isEmpty else { return }
    // If secrets can't be written now, the next start deletes them.
    try? await providerSecrets.forgetRetired(gone)
  }
}

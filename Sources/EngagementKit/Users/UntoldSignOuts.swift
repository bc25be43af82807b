import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Keeps what vendors could not be told when a user left.
struct UntoldSignOuts: Sendable {
  let dependencies: KitDependencies

  /// Accepts the operations that a vendor could not be told, for when the former user is back. If
  /// the outbox is full, the vendor is never told, and the report says why.
  func keep(
    _ results: inout [ProviderID: SignOutSequence.Result], of former: UserSession
  ) async {
    for (provider, result) in results where !result.untold.isEmpty {
      let deliveries = result.untold.map {
        Intent.Delivery(to: provider, .operation($0.operation), key: $0.key)
      }
      do throws(EngagementError) {
        try await dependencies.accept([Intent(deliveries: deliveries)], in: former.partition)
      } catch {
        results[provider]?.report.failure = error
        dependencies.log(.error, "A sign-out will not be told: \(error.code)", provider)
      }
    }
  }

  /// Accepts for the next user too what is about the device and no user: the former one may never be back,
  /// and until then the vendor pushes to a device that was given up.
  func passOn(
    from former: Partition, to next: Partition, except adopters: Set<ProviderID>
  ) async {
    for provider in dependencies.providers where !adopters.contains(provider.id) {
      let capabilities = provider.adapter.capabilities
      guard capabilities.abilities.values.contains(where: \.isOfDevice) else { continue }
      do throws(EngagementError) {
        let waiting = try await operations(of: provider, in: former)
          .filter { capabilities.ability($0.verb).isOfDevice }
        guard !waiting.isEmpty else { continue }
        let known = try await operations(of: provider, in: next)
        var new: [Operation] = []
        for operation in waiting where !known.contains(operation) && !new.contains(operation) {
          new.append(operation)
        }
        guard !new.isEmpty else { continue }
        let deliveries = new.map {
          Intent.Delivery(to: provider.id, .operation($0), key: dependencies.key())
        }
        try await dependencies.accept([Intent(deliveries: deliveries)], in: next)
      } catch {
        dependencies.log(
          .warning, "A sign-out is told when its user is back: \(error.code)", provider.id)
      }
    }
  }

  private func operations(
    of provider: Provider, in partition: Partition
  ) async throws(EngagementError) -> [Operation] {
    try await dependencies.store.pending(for: provider.id, in: partition, limit: .max)
      .compactMap { row in
        if case .operation(let operation) = row.work { operation } else { nil }
      }
  }
}

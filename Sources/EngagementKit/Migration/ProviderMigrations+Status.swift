import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension ProviderMigrations {
  /// Says which migrations cannot be read, so that they are left alone.
  func tellUnreadable() async {
    guard let memory = try? await memory() else { return }
    for fault in RoutedSurface.allCases.compactMap({ MigrationRecord.fault(of: $0, in: memory) }) {
      dependencies.log(.warning, fault.text)
    }
  }

  func statuses() async throws(EngagementError) -> [Engagement.MigrationStatus] {
    let memory = try await memory()
    let refusals = routeStore.read(memory).refusals
    var statuses: [Engagement.MigrationStatus] = []
    for record in MigrationRecord.all(in: memory) {
      statuses.append(
        .init(
          record, try await measures(of: record, memory),
          obstacle: try await obstacle(of: record, in: memory),
          refusal: refusals.first { $0.place == .surface(record.surface) }?.reason,
          remainder: try await remainder(of: record, in: memory)))
    }
    return statuses
  }

  /// What prevents the next step even if all gates hold; nil for nothing.
  private func obstacle(
    of record: MigrationRecord, in memory: ProviderMemory
  ) async throws(EngagementError) -> String? {
    guard let next = record.next else { return nil }
    do throws(EngagementError) {
      try checkObstacles(before: next, of: record, in: memory)
    } catch {
      return error.message
    }
    return try await outage(before: next, of: record, in: memory)
  }

  /// What the old provider of pushes still has although they are removed from it; nil for nothing.
  private func remainder(
    of record: MigrationRecord, in memory: ProviderMemory
  ) async throws(EngagementError) -> String? {
    guard record.surface == .push, record.stage.kind == .removed,
      try await !plans(of: routeStore.read(memory).routes).lead(to: record.plan.from, for: .push)
    else { return nil }
    return try await tokenRemainder(of: record)?.sentence(after: record.plan)
  }
}

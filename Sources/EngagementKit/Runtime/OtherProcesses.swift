import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Follows what other processes do with the same cache.
///
/// SQLite tells no process of another's writes, so this asks it twice a second. That costs one
/// query, which reads no page.
final class OtherProcesses: Sendable {
  private let dependencies: KitDependencies
  private let userTransitions: UserTransitions
  private let outboxSender: OutboxSender
  private static let interval = Duration.milliseconds(500)

  init(
    _ dependencies: KitDependencies, _ userTransitions: UserTransitions,
    _ outboxSender: OutboxSender
  ) {
    self.dependencies = dependencies
    self.userTransitions = userTransitions
    self.outboxSender = outboxSender
  }

  /// Follows until the task is cancelled.
  func follow() async {
    var seen: Int?
    while !Task.isCancelled {
      let writes = try? await dependencies.store.writesByOthers()
      if let writes, let seen, writes != seen {
        await userTransitions.followPresentUser()
        outboxSender.reread()
      }
      seen = writes ?? seen
      await dependencies.clock.sleep(until: dependencies.clock.uptime + Self.interval)
    }
  }
}

import EngagementModel
import EngagementStore

extension KitDependencies {
  /// The time between two tries to shorten a log that a reader may block.
  private static let rest = Duration.seconds(5)

  /// Keeps the cache's log short, after commits and not in them, for as long as the task runs.
  func keepTidy() async {
    while !Task.isCancelled {
      let seen = commitPublisher.signal.count
      do throws(EngagementError) {
        if try await store.tidy() { await clock.sleep(until: clock.uptime + Self.rest) }
      } catch {
        // The log is durable as it is, and the next try may succeed.
        log(.info, "The cache's log was not moved: \(error)")
        await clock.sleep(until: clock.uptime + Self.rest)
      }
      await commitPublisher.signal.wait(after: seen)
    }
  }
}

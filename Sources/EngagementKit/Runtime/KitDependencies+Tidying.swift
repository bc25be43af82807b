import EngagementModel
import EngagementStore

extension KitDependencies {
  /// Between two looks at a log that readers may hold up.
  private static let rest = Duration.seconds(5)

  /// Keeps the cache's log short, after commits and not in them, for as long as the task runs.
  func keepTidy() async {
    while !Task.isCancelled {
      let seen = commitPublisher.signal.count
      do throws(EngagementError) {
        if try await store.tidy() { await clock.sleep(until: clock.uptime + Self.rest) }
      } catch {
        // What was accepted is safe in the log, and the next look may do better.
        log(.info, "The cache's log was not moved: \(error)")
        await clock.sleep(until: clock.uptime + Self.rest)
      }
      await commitPublisher.signal.wait(after: seen)
    }
  }
}

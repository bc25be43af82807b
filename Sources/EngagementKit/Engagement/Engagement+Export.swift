public import EngagementModel
import EngagementStore

extension Engagement {
  /// A random text that this cache has made once, and that no vendor is told: the key of the hashes that
  /// stand for users in exports, where the application has none of its own.
  public func exportSalt() async throws(EngagementError) -> String {
    try await dependencies.store.exportSalt()
  }
}

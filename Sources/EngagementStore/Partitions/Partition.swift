package import EngagementModel

/// Whose rows: a user in an environment. Permanent, so that signing in again finds the cache.
package struct Partition: Hashable, Sendable, Identifiable {
  package let id: Int64
  package let environment: String
  package let user: User

  package init(id: Int64, environment: String, user: User) {
    self.id = id
    self.environment = environment
    self.user = user
  }
}

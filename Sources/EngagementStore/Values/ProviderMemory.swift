package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

/// The values that the cache remembers for one provider and one user.
package struct ProviderMemory: Hashable, Sendable {
  /// The adapter's own values.
  package var values = ScopedValues<String>()
  /// The vendor's settings. They belong to the installation and not to the user.
  package var settings = VendorSettings()
  package var person: Person?
  package var metrics: CardMetrics?
  /// The pauses that the vendor asked for, of the user and of the installation.
  package var throttles: [Throttle] = []

  package init() {}

  /// Operations with the verb wait until then; all operations if it is nil.
  package struct Throttle: Hashable, Sendable {
    package var verb: Operation.Verb?
    package var until: Date
    /// Whether it binds every user of the installation.
    package var scope: Scope

    package init(_ verb: Operation.Verb?, until: Date, of scope: Scope = .user) {
      self.verb = verb
      self.until = until
      self.scope = scope
    }
  }
}

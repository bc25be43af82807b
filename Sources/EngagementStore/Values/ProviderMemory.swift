package import EngagementAdapterAPI
package import EngagementModel
package import FoundationEssentials

/// What is remembered for one provider and one user, besides items and rows.
package struct ProviderMemory: Hashable, Sendable {
  /// What the adapter asked to be remembered.
  package var values = ScopedValues<String>()
  /// The vendor's settings: the installation's, whoever is signed in.
  package var settings = VendorSettings()
  package var person: Person?
  package var metrics: CardMetrics?
  package var throttles: [Throttle] = []

  package init() {}

  /// Operations with the verb, all with nil, wait until then.
  package struct Throttle: Hashable, Sendable {
    package var verb: Operation.Verb?
    package var until: Date

    package init(_ verb: Operation.Verb?, until: Date) {
      self.verb = verb
      self.until = until
    }
  }
}

package import EngagementPlatform

/// Which events of the ledger somebody wants.
package struct EventSelection: Hashable, Sendable {
  /// The last that is not wanted any more.
  package var after: Int64 = 0
  /// The last that is wanted.
  package var through = Int64.max
  /// The events at this time and later.
  package var since: Date?
  /// The events before this time.
  package var until: Date?
  /// Empty for all.
  package var kinds: [EngagementEvent.Kind] = []
  /// Empty for all, and for events of no provider too.
  package var providers: [ProviderID] = []

  package init() {}
}

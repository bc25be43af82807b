public import EngagementPlatform

/// Which events of the ledger somebody wants.
public struct EventSelection: Hashable, Sendable {
  /// The last that is not wanted any more.
  public var after: Int64 = 0
  /// The last that is wanted.
  public var through = Int64.max
  /// The events at this time and later.
  public var since: Date?
  /// The events before this time.
  public var until: Date?
  /// Empty for all.
  public var kinds: [EngagementEvent.Kind] = []
  /// Empty for all, and for events of no provider too.
  public var providers: [ProviderID] = []

  public init() {}

  /// Why an event is not selected. Where several reasons hold, it is the first of them.
  public enum Exclusion: String, CaseIterable, Sendable {
    /// It belongs to another environment of the application.
    case environment
    case time
    case kind
    case provider
  }
}

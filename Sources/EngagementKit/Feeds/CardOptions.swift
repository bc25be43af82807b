public import EngagementModel

extension Engagement {
  /// What an observation of cards wants to see, and how often.
  public struct CardOptions: Hashable, Sendable {
    /// Only cards that meet every condition. Where a provider's vendor was asked with the same
    /// conditions, its answer counts; elsewhere a card whose condition is unknown is left out.
    public var filters: [CardFilter]
    /// The least time between two values: zero, or a second and more. What lies between counts as
    /// a second.
    public var interval: Duration
    /// Whether control cards come too: they are never shown, but impressions of them are counted.
    public var includesControl: Bool

    public init(
      filters: [CardFilter] = [], interval: Duration = .zero, includesControl: Bool = false
    ) {
      self.filters = filters
      self.interval = interval <= .zero ? .zero : max(interval, .seconds(1))
      self.includesControl = includesControl
    }

    /// Everything that is shown, at every change.
    public static let standard = CardOptions()

    var isPlain: Bool { filters.isEmpty && !includesControl }
  }
}

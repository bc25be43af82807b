public import EngagementModel

extension Engagement {
  /// Which cards a feed shows, and how often a stream of it gives values.
  public struct CardOptions: Hashable, Sendable {
    /// Only cards that meet every condition are shown. If the vendor was asked with those conditions that
    /// it takes, its answer decides on them; otherwise a card without the needed value is left out.
    /// `refresh(_:)` asks with conditions, and so does a live channel for a stream.
    public var filters: [CardFilter]
    /// The least time between two values of a stream: zero, or at least one second. A shorter time
    /// counts as one second.
    public var interval: Duration
    /// Whether control cards are included. They are never shown, but their impressions count.
    public var includesControl: Bool
    /// How runtime variables are filled; nil leaves their placeholders, so that the application fills
    /// them with `Card.filled(with:)`.
    public var variables: VariableOptions?

    public init(
      filters: [CardFilter] = [], interval: Duration = .zero, includesControl: Bool = false,
      variables: VariableOptions? = nil
    ) {
      self.filters = filters
      self.interval = interval <= .zero ? .zero : max(interval, .seconds(1))
      self.includesControl = includesControl
      self.variables = variables
    }

    /// All visible cards, at every change.
    public static let standard = CardOptions()

    var isPlain: Bool { filters.isEmpty && !includesControl }
  }
}

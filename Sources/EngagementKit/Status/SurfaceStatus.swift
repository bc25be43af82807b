public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// How a surface stands: the worst of its providers, and what is shown meanwhile.
  public struct SurfaceStatus: Hashable, Sendable {
    public let surface: Surface
    /// The container of cards with a route of its own; nil for the surface.
    public let container: ContainerID?
    /// In the order of the route; without one, every provider that takes the surface.
    public let providers: [ProviderStatus]
    /// The provider that a `firstReady` route prefers, while another one is shown in its place.
    public let replaced: ProviderID?

    init(
      _ surface: Surface, in container: ContainerID?, _ providers: [ProviderStatus],
      replaced: ProviderID?
    ) {
      self.surface = surface
      self.container = container
      self.providers = providers
      self.replaced = replaced
    }

    /// The worst state of the providers. Of a `firstReady` route those that wait to take over do not
    /// count; a provider that was replaced does. Nil if the route has no provider.
    public var state: ProviderState? {
      providers.filter(\.counts).map(\.state).max { $0.severity < $1.severity }
    }
  }

  /// How a provider of a surface stands.
  public struct ProviderStatus: Hashable, Sendable {
    public let provider: ProviderID
    public let state: ProviderState
    /// Whether the provider's items are shown, or it is told.
    public let isShown: Bool
    /// From when the items in the cache are, those of its oldest feed; nil if there are none.
    public let refreshedAt: Date?
    /// Whether the state of the surface depends on it.
    let counts: Bool

    init(
      _ provider: ProviderID, _ state: ProviderState, isShown: Bool, refreshedAt: Date?,
      counts: Bool
    ) {
      self.provider = provider
      self.state = state
      self.isShown = isShown
      self.refreshedAt = refreshedAt
      self.counts = counts
    }
  }

  /// What a provider last answered for a surface, or why it is not asked. In order, the worst last.
  @nonexhaustive public enum ProviderState: Hashable, Sendable {
    /// The vendor answered the last request, or has taken all that it was told.
    case fresh
    /// The vendor was not asked yet.
    case unknown
    /// Something was accepted for the vendor that it has not taken yet.
    case pending
    /// Nothing is sent, since the vendor asked for a pause until then.
    case throttled(until: Date)
    /// The last request failed, or the vendor may not be asked. The cache since that date is shown.
    case stale(since: Date, EngagementError)
    /// The last request failed, or the vendor may not be asked, and the cache has nothing of it.
    case failed(EngagementError)

    /// Why the vendor did not answer; nil for any other state.
    public var error: EngagementError? {
      switch self {
      case .stale(_, let error), .failed(let error): error
      case .fresh, .unknown, .pending, .throttled: nil
      }
    }

    /// The name in JSON and in tables.
    public var name: String {
      switch self {
      case .fresh: "fresh"
      case .unknown: "unknown"
      case .pending: "pending"
      case .throttled: "throttled"
      case .stale: "stale"
      case .failed: "failed"
      }
    }

    fileprivate var severity: Int {
      switch self {
      case .fresh: 0
      case .unknown: 1
      case .pending: 2
      case .throttled: 3
      case .stale: 4
      case .failed: 5
      }
    }
  }
}

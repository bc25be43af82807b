public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// How a refresh ended, provider by provider. The failure of one does not affect the others.
  public struct RefreshOutcome: Hashable, Sendable {
    /// Every provider of the route; for a target without a route, every provider. Of a route with a
    /// fail-over those that were asked, and the one that is shown.
    public var providers: [ProviderID: ProviderOutcome] = [:]

    public init(_ providers: [ProviderID: ProviderOutcome] = [:]) { self.providers = providers }

    /// Whether every provider that supports it answered, and at least one did.
    ///
    /// False if no provider is in the route, or if none of them supports the target.
    public var isComplete: Bool {
      providers.values.contains(where: \.isHeard)
        && providers.values.allSatisfy { $0.isHeard || $0 == .unsupported }
    }
  }

  /// How a refresh ended at one provider. A failure never empties a feed.
  public enum ProviderOutcome: Hashable, Sendable {
    /// The vendor answered with its present state.
    case fresh
    /// The vendor answered that nothing has changed, or there was nothing to ask for.
    case notModified
    /// Nothing was sent, since the vendor asked for a pause until then.
    case throttled(until: Date)
    /// The request failed. The feeds show the cache, which has this age.
    case stale(age: Duration, EngagementError)
    /// The request failed, and the cache has nothing from this vendor.
    case failed(EngagementError)
    /// The vendor does not have this target.
    case unsupported

    /// The outcome of several requests to one provider: the worst of them.
    static func worst(of outcomes: [ProviderOutcome]) -> ProviderOutcome? {
      outcomes.max { $0.severity < $1.severity }
    }

    private var severity: Int {
      switch self {
      case .unsupported: 0
      case .notModified: 1
      case .fresh: 2
      case .throttled: 3
      case .stale: 4
      case .failed: 5
      }
    }

    /// Whether the vendor answered, if only that nothing has changed.
    var isHeard: Bool {
      switch self {
      case .fresh, .notModified: true
      case .throttled, .stale, .failed, .unsupported: false
      }
    }

    /// Why the request failed; nil for any other outcome.
    public var error: EngagementError? {
      switch self {
      case .stale(_, let error), .failed(let error): error
      case .fresh, .notModified, .throttled, .unsupported: nil
      }
    }
  }
}

extension ProviderOutcome {
  /// Whether a request was sent or should have been.
  var isWorthRecording: Bool {
    switch self {
    case .throttled, .unsupported: false
    case .fresh, .notModified: true
    case .stale(_, let error), .failed(let error):
      ![.cancelled, .signedOut, .consentDenied].contains(error.code)
    }
  }
}

extension RefreshOutcome {
  /// Adds an outcome of a provider; the worst of several counts.
  mutating func note(_ outcome: ProviderOutcome, of provider: ProviderID) {
    let all = [providers[provider], outcome].compactMap(\.self)
    providers[provider] = ProviderOutcome.worst(of: all)
  }
}

public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// How a refresh ended, provider by provider. One that is down takes nothing from the others.
  public struct RefreshOutcome: Hashable, Sendable {
    /// Every provider of the route, or every one that was opened where nothing is routed.
    public var providers: [ProviderID: ProviderOutcome] = [:]

    public init(_ providers: [ProviderID: ProviderOutcome] = [:]) { self.providers = providers }

    /// Whether every provider that supports it answered, and at least one did.
    ///
    /// False where no provider is in the route or none of them supports it.
    public var isComplete: Bool {
      providers.values.contains(where: \.isHeard)
        && providers.values.allSatisfy { $0.isHeard || $0 == .unsupported }
    }
  }

  /// How a refresh ended at one provider. A failure never empties what is shown.
  public enum ProviderOutcome: Hashable, Sendable {
    /// The vendor answered with what it has.
    case fresh
    /// The vendor says that all is as it was, or that there is nothing to ask for.
    case notModified
    /// Nothing was asked: the vendor wants to be left alone until then.
    case throttled(until: Date)
    /// The vendor could not be asked; what is shown is from the cache and so old.
    case stale(age: Duration, EngagementError)
    /// The vendor could not be asked, and the cache has nothing of it.
    case failed(EngagementError)
    /// The vendor has nothing of the kind.
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

    /// Whether the vendor said what it has, if only that nothing changed.
    var isHeard: Bool {
      switch self {
      case .fresh, .notModified: true
      case .throttled, .stale, .failed, .unsupported: false
      }
    }

    /// Why the vendor could not be asked; nil where that was not the trouble.
    public var error: EngagementError? {
      switch self {
      case .stale(_, let error), .failed(let error): error
      case .fresh, .notModified, .throttled, .unsupported: nil
      }
    }
  }
}

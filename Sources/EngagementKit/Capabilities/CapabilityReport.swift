import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// What each provider can do on each surface, and the routes that follow from it. No cache and no vendor
  /// is asked.
  public struct CapabilityReport: Hashable, Sendable {
    /// In the order in which the application names them.
    public let providers: [ProviderCapabilities]

    public init(of providers: Providers) {
      let list = providers.list
      self.providers = list.map { provider in
        let uses = RoutedSurface.allCases.map { surface in
          SurfaceCapability(surface, of: provider, among: list)
        }
        return ProviderCapabilities(
          provider: provider.id, vendor: provider.adapter.vendor, surfaces: uses)
      }
    }
  }

  /// What one provider can do on each surface.
  public struct ProviderCapabilities: Hashable, Sendable {
    public let provider: ProviderID
    public let vendor: Vendor
    public let surfaces: [SurfaceCapability]
  }

  /// What one provider can do on one surface.
  public struct SurfaceCapability: Hashable, Sendable {
    public let surface: Surface
    public let support: Support
    /// The strategies of routes that may name the provider, beside as many others as they need. Nothing
    /// that is absent can be routed.
    public let strategies: [String]

    /// How a provider serves a surface.
    @nonexhaustive public enum Support: Hashable, Sendable {
      /// The vendor has it.
      case native
      /// The vendor has items of the other surface, which are shown as items of this one.
      case bridged(from: Surface)
      /// The vendor has nothing for it, and why.
      case absent(String)
    }
  }
}

extension Engagement {
  /// What each provider can do on each surface, and the routes that follow from it.
  public var capabilities: CapabilityReport {
    CapabilityReport(of: Providers(dependencies.providers.map { ($0.id, $0.adapter) }))
  }
}

extension Engagement.SurfaceCapability {
  fileprivate init(_ surface: RoutedSurface, of provider: Provider, among all: [Provider]) {
    self.surface = surface.surface
    support = surface.support(of: provider.adapter.capabilities)
    strategies = surface.strategies(for: provider, among: all).map(\.rawValue)
  }
}

extension RoutedSurface {
  /// How a provider with these capabilities serves the surface.
  fileprivate func support(
    of capabilities: AdapterCapabilities
  ) -> Engagement.SurfaceCapability.Support {
    switch service(of: capabilities) {
    case .native?: return .native
    case .bridged?: if let counterpart { return .bridged(from: counterpart.surface) }
    case nil: break
    }
    guard self != .events else { return .absent("the vendor takes no events of applications") }
    let names = verbs.map(\.rawValue).joined(separator: " or ")
    return .absent("the vendor has no \(names)")
  }

  /// The strategies of routes that may name the provider.
  fileprivate func strategies(for provider: Provider, among all: [Provider]) -> [RouteStrategy] {
    guard isServed(by: provider.adapter.capabilities) else { return [] }
    let others = all.filter {
      $0.id != provider.id && isServed(by: $0.adapter.capabilities)
    }
    return RouteStrategy.allCases.filter { strategy in
      guard strategies.contains(strategy) else { return false }
      switch strategy {
      case .only, .split: return true
      case .none: return false
      case .merge, .firstReady, .mirror: return !others.isEmpty
      case .shadow: return canCompare(provider, with: others)
      }
    }
  }

  /// Whether the provider can be compared with one of the others, or another one with it.
  private func canCompare(_ provider: Provider, with others: [Provider]) -> Bool {
    let own = (others + [provider]).filter { service(of: $0.adapter.capabilities) == .native }
    guard own.count > 1, own.contains(where: { $0.id == provider.id }) else { return false }
    // One of the two is read as a shadow.
    return own.contains { able in
      !verbs.contains { able.adapter.capabilities.ability($0).readingHasSideEffects }
    }
  }
}

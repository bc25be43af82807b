import EngagementAdapterAPI
import EngagementModel

/// How a provider serves a surface.
enum SurfaceService: Hashable, Sendable {
  /// With items of the surface's own kind.
  case native
  /// With items of the other kind, which are shown as items of this one.
  case bridged
}

extension RoutedSurface {
  /// The surface whose items can be shown here too.
  var counterpart: RoutedSurface? {
    switch self {
    case .cards: .inbox
    case .inbox: .cards
    case .templates, .push, .person, .events: nil
    }
  }

  /// How a provider with these capabilities serves the surface; nil if it does not. A provider that has
  /// both kinds of items serves each surface with its own.
  func service(of capabilities: AdapterCapabilities) -> SurfaceService? {
    if isNativelyServed(by: capabilities) { return .native }
    return counterpart?.isNativelyServed(by: capabilities) == true ? .bridged : nil
  }

  /// Whether a provider with these capabilities can serve the surface.
  func isServed(by capabilities: AdapterCapabilities) -> Bool {
    service(of: capabilities) != nil
  }

  func isBridged(to capabilities: AdapterCapabilities?) -> Bool {
    capabilities.map { service(of: $0) == .bridged } ?? false
  }

  /// The operations that read what a provider shows on the surface.
  func verbs(at capabilities: AdapterCapabilities?) -> [Operation.Verb] {
    isBridged(to: capabilities) ? counterpart?.verbs ?? [] : verbs
  }

  private func isNativelyServed(by capabilities: AdapterCapabilities) -> Bool {
    switch self {
    case .events: !capabilities.eventKinds.isEmpty
    case .cards, .inbox, .templates, .push, .person:
      verbs.contains { capabilities.ability($0).travel != .unsupported }
    }
  }
}

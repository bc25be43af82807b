import EngagementAdapterAPI
import EngagementModel

/// An answer may fill two surfaces, each with a fail-over of its own: as what the items are, and as items
/// of the other kind.
extension FailOvers {
  /// Notes how a request ended at every surface that its answer fills.
  func note(
    _ finding: Breaker.Finding, _ verb: Operation.Verb, of runtime: ProviderRuntime
  ) async {
    for surface in RoutedSurface.filled(by: verb, at: runtime.capabilities) {
      await note(finding, of: runtime.id, surface)
    }
  }

  /// The surfaces that have left the provider, which the operation would fill.
  func left(_ runtime: ProviderRuntime, _ verb: Operation.Verb) async -> Set<RoutedSurface> {
    var left: Set<RoutedSurface> = []
    for surface in RoutedSurface.filled(by: verb, at: runtime.capabilities)
    where await isOpen(runtime.id, surface) {
      left.insert(surface)
    }
    return left
  }

  /// Whether every surface of the plans that shows what the operation brings has left the provider.
  func haveLeft(
    _ runtime: ProviderRuntime, _ verb: Operation.Verb, _ plans: RoutePlans
  ) async -> Bool {
    let left = await left(runtime, verb)
    return !left.isEmpty
      && RoutedSurface.filled(by: verb, at: runtime.capabilities).allSatisfy {
        left.contains($0) || !plans.shows(runtime.id, on: $0)
      }
  }
}

extension RoutedSurface {
  /// The surfaces with a fail-over that the answer to the operation fills; empty for another operation.
  static func filled(
    by verb: Operation.Verb, at capabilities: AdapterCapabilities
  ) -> [RoutedSurface] {
    [.cards, .inbox].filter { $0.verbs(at: capabilities).contains(verb) }
  }
}

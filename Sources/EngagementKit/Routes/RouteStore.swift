import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Keeps the routes that were set at run time over restarts.
struct RouteStore: Sendable {
  let providers: [Provider]
  let log: Log

  init(_ dependencies: KitDependencies) {
    self.init(among: dependencies.providers, dependencies.log)
  }

  init(among providers: [Provider], _ log: Log) {
    self.providers = providers
    self.log = log
  }

  /// The stored routes. A route to a provider that is not configured any more is left out.
  func routes(in memory: ProviderMemory) -> [RoutedSurface: Route] {
    var routes: [RoutedSurface: Route] = [:]
    for surface in RoutedSurface.allCases {
      guard let json = memory.json(.installation, name(surface)),
        let route = try? Route(json: json)
      else { continue }
      do throws(EngagementError) {
        try providers.check(route, of: surface)
        routes[surface] = route
      } catch {
        log(.warning, "A route that was set earlier is not followed: \(error.message)")
      }
    }
    return routes
  }

  func keep(
    _ route: Route, of surface: RoutedSurface, in memory: KitState, of partition: Partition
  ) async throws(EngagementError) {
    try await memory.keep([name(surface): route.json], .installation, in: partition)
  }

  private func name(_ surface: RoutedSurface) -> String { "route.\(surface.rawValue)" }
}

extension RoutedSurface {
  var verb: Operation.Verb {
    switch self {
    case .cards: .cards
    case .inbox: .inbox
    }
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The routes that were set at run time, over restarts.
struct KeptRoutes: Sendable {
  let providers: [Provider]
  let log: Log

  init(_ house: House) { self.init(among: house.providers, house.log) }

  init(among providers: [Provider], _ log: Log) {
    self.providers = providers
    self.log = log
  }

  /// What was set; a route with a provider that is not there any more counts as never set.
  func routes(in memory: ProviderMemory) -> [RoutedSurface: Route] {
    var routes: [RoutedSurface: Route] = [:]
    for surface in RoutedSurface.allCases {
      guard let json = memory.json(.installation, name(surface)),
        let route = try? Route(json: json)
      else { continue }
      do throws(EngagementError) {
        try check(route, of: surface)
        routes[surface] = route
      } catch {
        log(.warning, "A route that was set earlier is not followed: \(error.message)")
      }
    }
    return routes
  }

  func keep(
    _ route: Route, of surface: RoutedSurface, in memory: HouseMemory, of partition: Partition
  ) async throws(EngagementError) {
    try await memory.keep([name(surface): route.json], .installation, in: partition)
  }

  /// Throws for a route to a provider that is not there or that lacks the surface.
  func check(_ route: Route, of surface: RoutedSurface) throws(EngagementError) {
    for id in route.providers {
      let provider = try providers.named(id)
      let ability = provider.adapter.capabilities.ability(surface.verb)
      guard ability.travel != .unsupported else {
        throw EngagementError(
          .unsupported, "\(provider.adapter.vendor) has no \(surface.rawValue).", provider: id)
      }
    }
    if case .merge(let providers) = route, providers.count != route.providers.count {
      throw EngagementError(.invalidArgument, "A route names a provider twice.")
    }
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

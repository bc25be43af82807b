import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Keeps the routes that were set at run time over restarts.
struct RouteStore: Sendable {
  let rules: RouteRules
  let log: Log

  init(_ dependencies: KitDependencies, containers: ContainerMap) {
    self.init(
      RouteRules(providers: dependencies.providers, containers: containers), dependencies.log)
  }

  init(_ rules: RouteRules, _ log: Log) {
    self.rules = rules
    self.log = log
  }

  /// The stored routes. A route to a provider that is not configured any more is left out.
  func routes(in memory: ProviderMemory) -> [RoutePlace: Route] {
    var routes: [RoutePlace: Route] = [:]
    for name in memory.values.all(.installation).map(\.key) {
      guard let place = RoutePlace(key: name), let json = memory.json(.installation, name),
        let route = try? Route(json: json)
      else { continue }
      do throws(EngagementError) {
        try rules.check(route, at: place)
        routes[place] = route
      } catch {
        log(.warning, "A route that was set earlier is not followed: \(error.message)")
      }
    }
    return routes
  }

  func keep(
    _ route: Route, at place: RoutePlace, in memory: KitState, of partition: Partition
  ) async throws(EngagementError) {
    try await memory.keep([place.key: route.json], .installation, in: partition)
  }
}

extension RoutePlace {
  private static let prefix = "route."
  private static let containerPrefix = "route.cards/"

  /// The name under which the place's route is stored.
  var key: String {
    switch self {
    case .surface(let surface): Self.prefix + surface.rawValue
    case .container(let container): Self.containerPrefix + container.rawValue
    }
  }

  /// Nil for the name of another value.
  fileprivate init?(key: String) {
    if key.utf8.starts(with: Self.containerPrefix.utf8) {
      let name = String(
        decoding: key.utf8.dropFirst(Self.containerPrefix.utf8.count), as: UTF8.self)
      self = .container(ContainerID(name))
      return
    }
    guard key.utf8.starts(with: Self.prefix.utf8),
      let surface = RoutedSurface(rawValue: String(key.dropFirst(Self.prefix.count)))
    else { return nil }
    self = .surface(surface)
  }
}

import EngagementAdapterAPI
import EngagementModel

/// The plan of every place that has a route.
struct RoutePlans: Hashable, Sendable {
  let routes: Routes
  let circumstances: RouteCircumstances
  private var plans: [RoutePlace: RoutePlan]
  /// Whether it is not known yet where the user stands in an experiment.
  let isUndecided: Bool

  init(_ routes: Routes, in circumstances: RouteCircumstances = RouteCircumstances()) {
    self.routes = routes
    self.circumstances = circumstances
    let plans = routes.places.map { ($0.place, $0.route.plan(at: $0.place, in: circumstances)) }
    self.plans = Dictionary(plans) { first, _ in first }
    isUndecided = routes.splits.contains { circumstances.arms[$0.name] == nil }
  }

  /// The plan of a surface; nil: every provider that takes it.
  subscript(surface: RoutedSurface) -> RoutePlan? { plans[.surface(surface)] }

  var inbox: RoutePlan { self[.inbox] ?? RoutePlan() }

  /// Whether the route of a surface without items leads to the provider.
  func lead(to provider: ProviderID, for surface: RoutedSurface) -> Bool {
    self[surface]?.shows(provider) ?? true
  }

  /// Whether the routes let the provider have such operations.
  func lead(to provider: ProviderID, telling verb: Operation.Verb) -> Bool {
    RoutedSurface(tellingOf: verb).map { lead(to: provider, for: $0) } ?? true
  }

  /// The providers that the route of the surface leads to; none if it leads nowhere.
  ///
  /// Throws `unsupported` if it leads only to others than these.
  func providers(
    of surface: RoutedSurface, among able: [Provider], operation: String
  ) throws(EngagementError) -> [Provider] {
    let led = able.filter { lead(to: $0.id, for: surface) }
    guard led.isEmpty, let plan = self[surface], !plan.shown.isEmpty else { return led }
    let names = plan.shown.map { "\"\($0)\"" }.joined(separator: ", ")
    throw EngagementError(
      .unsupported, "No provider of the route of \(surface.rawValue) supports this: \(names).",
      operation: operation)
  }

  /// The plan of the cards of a container.
  func plan(of container: ContainerID) -> RoutePlan {
    plans[.container(container)] ?? cards
  }

  /// The plan of the containers without a route of their own.
  var cards: RoutePlan { self[.cards] ?? RoutePlan() }

  /// Whether any container shows cards of the provider.
  func showsCards(of provider: ProviderID) -> Bool {
    cards.shows(provider) || routes.containers.keys.contains { plan(of: $0).shows(provider) }
  }

  /// The same routes with another one at a place; nil: without one of its own.
  func with(_ route: Route?, at place: RoutePlace) -> RoutePlans {
    var routes = routes
    routes.set(route, at: place)
    return RoutePlans(routes, in: circumstances)
  }

  // MARK: Experiments

  /// The same routes for a user who stands there.
  func with(_ standings: [String: Engagement.Split.Standing]) -> RoutePlans {
    guard circumstances.arms != standings else { return self }
    var circumstances = circumstances
    circumstances.arms = standings
    return RoutePlans(routes, in: circumstances)
  }

  // MARK: Fail-over

  /// The place whose route fills the container.
  func place(of container: ContainerID) -> RoutePlace {
    let own = RoutePlace.container(container)
    return plans[own] == nil ? .surface(.cards) : own
  }

  /// The places of the surface that have a fail-over, in one order.
  func failOverPlaces(on surface: RoutedSurface) -> [RoutePlace] {
    routes.places.map(\.place)
      .filter { $0.surface == surface && plans[$0]?.candidates.isEmpty == false }
  }

  /// Whether the place chooses among providers of which this is one.
  func isCandidate(_ provider: ProviderID, at place: RoutePlace) -> Bool {
    plans[place]?.candidates.contains(provider) == true
  }

  func plan(at place: RoutePlace) -> RoutePlan? { plans[place] }

  /// The plans by which one provider is asked: of the places with a fail-over, these alone show it.
  ///
  /// - Parameter isAlone: Whether the places without a fail-over show nothing.
  func asking(
    _ provider: ProviderID, at places: Set<RoutePlace>, alone isAlone: Bool
  ) -> RoutePlans {
    var asking = self
    for (place, plan) in plans where isAlone || !plan.candidates.isEmpty {
      asking.plans[place]?.shown = places.contains(place) ? [provider] : []
    }
    return asking
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The routes that a cache keeps of what was set at run time, laid over the configured ones.
struct RouteStore: Sendable {
  let configured: Routes
  let rules: RouteRules

  /// What stored values say of routes.
  struct Kept: Sendable {
    /// The routes that hold.
    var routes: Routes
    /// The stored routes that do not hold, each with its reason.
    var refusals: [Refusal] = []
    /// The providers that took over from the first choice of a route with a fail-over.
    var failOver: [RoutePlace: ProviderID] = [:]
    /// Where the user stands in the experiments of the routes; nil: as before.
    var arms: UserArms?

    /// The plans that follow from these routes, with all else as it was.
    func plans(after former: RoutePlans) -> RoutePlans {
      var circumstances = former.circumstances
      circumstances.failOver = failOver
      return RoutePlans(routes, in: circumstances)
    }
  }

  /// A stored route that does not hold any more. It stays stored, and holds again if its provider is
  /// back.
  struct Refusal: Hashable, Sendable {
    var place: RoutePlace
    var route: JSON
    var reason: String
    /// Whether it was told already.
    var isTold: Bool
  }

  /// The routes that hold by these stored values.
  func read(_ memory: ProviderMemory) -> Kept {
    var kept = Kept(routes: configured)
    var stored = memory.values.all(.installation).compactMap { name, _ -> Stored? in
      guard let place = RoutePlace(key: name), let json = memory.json(.installation, name) else {
        return nil
      }
      guard let route = try? Route(json: json) else {
        let reason =
          "A later release has stored the route of \(place.words), and this one cannot read it; the "
          + "configured one holds."
        kept.refusals.append(
          Refusal(
            place: place, route: json, reason: reason,
            isTold: memory.json(.installation, place.toldKey) == json))
        return nil
      }
      return Stored(place: place, route: route, json: json)
    }
    let damaged = RouteSeals(memory).broken(in: memory)
    stored.removeAll { damaged.contains($0.place) }
    kept.refusals.removeAll { damaged.contains($0.place) }
    // All of them first: two that fit each other need not fit what is configured for the other's place.
    for one in stored { kept.routes.set(one.route, at: one.place) }
    while let (index, error) = fault(among: stored, in: kept.routes) {
      let one = stored.remove(at: index)
      let narrowed = narrowed(one)
      kept.routes.set(narrowed ?? configured.route(at: one.place), at: one.place)
      // It is checked again, and may be refused for another reason.
      kept.refusals.removeAll { $0.place == one.place }
      kept.refusals.append(
        Refusal(
          place: one.place, route: one.json, reason: reason(one, narrowed, error),
          isTold: memory.json(.installation, one.place.toldKey) == one.json))
      if let narrowed {
        stored.append(Stored(place: one.place, route: narrowed, json: one.json))
      }
    }
    for place in damaged { refuse(place, &kept, memory) }
    kept.failOver = takenOver(memory, kept.routes)
    return kept
  }

  /// Applies that the stored route of the place is damaged. If it decided who is told of a person, no
  /// provider is told: the route may have left some out.
  private func refuse(_ place: RoutePlace, _ kept: inout Kept, _ memory: ProviderMemory) {
    let isClosed = Self.tellsOfPeople(place) && configured.route(at: place) == nil
    if isClosed { kept.routes.set(Route.none, at: place) }
    let instead =
      isClosed ? "no provider is told until it is set again." : "the configured one holds."
    kept.refusals.append(
      Refusal(
        place: place, route: RouteSeals.damaged,
        reason: "The route of \(place.words) that was set earlier is damaged; " + instead,
        isTold: memory.json(.installation, place.toldKey) == RouteSeals.damaged))
  }

  private struct Stored {
    var place: RoutePlace
    var route: Route
    var json: JSON
  }

  /// What holds of a stored route that has lost a provider: where vendors are told of a person and
  /// nobody configured a route, the providers that are left. The others were left out on purpose.
  private func narrowed(_ one: Stored) -> Route? {
    guard Self.tellsOfPeople(one.place), configured.route(at: one.place) == nil else { return nil }
    let left = one.route.providers.filter { id in
      rules.providers.contains {
        $0.id == id && one.place.surface.isServed(by: $0.adapter.capabilities)
      }
    }
    return left.count < one.route.providers.count ? one.route.limited(to: left) : nil
  }

  /// Whether the route says which vendors are told of a person.
  private static func tellsOfPeople(_ place: RoutePlace) -> Bool {
    [.person, .events, .push].contains(place.surface)
  }

  /// The first of the stored routes that cannot hold.
  private func fault(
    among stored: [Stored], in routes: Routes
  ) -> (index: Int, error: EngagementError)? {
    for (index, one) in stored.enumerated() {
      do throws(EngagementError) {
        try rules.check(one.route, at: one.place, among: routes)
      } catch {
        return (index, error)
      }
    }
    return nil
  }

  // MARK: Fail-over

  /// The state of each route with a fail-over that holds by these stored values.
  func failOvers(_ memory: ProviderMemory) -> [RoutePlace: FailOverState] {
    failOvers(memory, read(memory).routes)
  }

  /// The providers that took over from the first choice of these routes.
  func takenOver(_ memory: ProviderMemory, _ routes: Routes) -> [RoutePlace: ProviderID] {
    failOvers(memory, routes).compactMapValues { $0.shown == $0.candidates.first ? nil : $0.shown }
  }

  private func failOvers(
    _ memory: ProviderMemory, _ routes: Routes
  ) -> [RoutePlace: FailOverState] {
    var states: [RoutePlace: FailOverState] = [:]
    for (place, route) in routes.places {
      let kept = memory.json(.installation, place.failOverKey).map(FailOverState.Kept.init(json:))
      states[place] = FailOverState(route, kept ?? FailOverState.Kept())
    }
    return states
  }

  /// The changes that store the states that differ from these.
  func changes(
    to states: [RoutePlace: FailOverState], from former: [RoutePlace: FailOverState]
  ) -> [Change] {
    states.filter { former[$0.key] != $0.value }
      .map { KitState.change(.installation, $0.key.failOverKey, $0.value.kept.json) }
  }

  // MARK: Changes

  /// The routes with another one at the place; nil: the configured one. Throws if it does not fit to the
  /// others.
  func routes(
    _ former: Routes, with route: Route?, at place: RoutePlace
  ) throws(EngagementError) -> Routes {
    var routes = former
    try rules.checkContainer(place)
    let next = route ?? configured.route(at: place)
    if let next { try rules.check(next, at: place, among: former) }
    routes.set(next, at: place)
    return routes
  }

  private func reason(_ one: Stored, _ narrowed: Route?, _ error: EngagementError) -> String {
    let former = "The route of \(one.place.words) that was set earlier"
    let gone = one.route.providers.first { id in !rules.providers.contains { $0.id == id } }
    guard let gone else {
      return former + (narrowed == nil ? " is" : " holds in part and is otherwise")
        + " not followed: \(error.message)"
    }
    let instead =
      if narrowed != nil {
        "; it holds without it."
      } else if Self.tellsOfPeople(one.place), configured.route(at: one.place) == nil {
        "; none of its providers is left, and every provider that takes it is told."
      } else {
        "; the configured one holds."
      }
    return former + " names \"\(gone)\", which is no provider any more" + instead
  }

  /// The changes that store the route of a place; nil removes it. What was told of it is forgotten.
  func changes(
    to route: Route?, at place: RoutePlace, in memory: ProviderMemory
  ) -> [Change] {
    let route = KitState.change(.installation, place.key, route?.json)
    return [
      route, KitState.change(.installation, place.toldKey, nil),
      RouteSeals(memory).change(place, in: memory.storing([route])),
    ]
  }
}

extension RoutePlace {
  private static let prefix = "route."
  private static let containerPrefix = "route.cards/"

  /// The beginnings of all names under which something of a route is stored.
  static let prefixes = [prefix, "failOver." + prefix, "told." + prefix]

  /// The name under which the place's route is stored.
  var key: String {
    switch self {
    case .surface(let surface): Self.prefix + surface.rawValue
    case .container(let container): Self.containerPrefix + container.rawValue
    }
  }

  /// The name under which the state of the route's fail-over is stored.
  var failOverKey: String { "failOver." + key }

  /// The name under which a stored route is kept that was told not to hold.
  var toldKey: String { "told." + key }

  /// The place as messages name it.
  fileprivate var words: String {
    switch self {
    case .surface(let surface): surface.rawValue
    case .container(let container): "the container \"\(container)\""
    }
  }

  /// Nil for the name of another value.
  init?(key: String) {
    if key.utf8.starts(with: Self.containerPrefix.utf8) {
      let name = key.utf8.dropFirst(Self.containerPrefix.utf8.count)
      self = .container(ContainerID(String(decoding: name, as: UTF8.self)))
      return
    }
    guard key.utf8.starts(with: Self.prefix.utf8),
      let surface = RoutedSurface(rawValue: String(key.dropFirst(Self.prefix.count)))
    else { return nil }
    self = .surface(surface)
  }
}

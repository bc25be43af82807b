import EngagementAdapterAPI
import EngagementModel

/// What routes have to obey: each names providers that are there and can serve its surface, and the
/// experiments of all routes agree.
///
/// Each fault is `invalidConfiguration` and names the field, the value and the nearest name.
struct RouteRules: Sendable {
  let providers: [Provider]
  let containers: ContainerMap

  /// Throws for the first route that is wrong.
  func check(_ routes: Routes) throws(EngagementError) {
    for (place, route) in routes.places { try checkAlone(route, at: place) }
    for (place, route) in routes.places { try check(route, at: place, beside: routes) }
  }

  /// Throws for a route that is wrong by itself or does not fit to the other routes.
  func check(
    _ route: Route, at place: RoutePlace, among routes: Routes? = nil
  ) throws(EngagementError) {
    try checkAlone(route, at: place)
    if let routes { try check(route, at: place, beside: routes) }
  }

  // MARK: A route alone

  private func checkAlone(_ route: Route, at place: RoutePlace) throws(EngagementError) {
    let parts = route.parts
    try checkContainer(place)
    try checkStrategy(parts.strategy, at: place)
    switch parts.strategy {
    case .only, .none: break
    case .merge:
      // The sentence is older than the others.
      guard !parts.named.isEmpty else {
        throw fault(place.field, "merges nothing; name at least one provider.")
      }
    case .firstReady, .mirror: try checkFilled(parts.named, parts.strategy, place)
    case .shadow: try checkShadow(parts, at: place)
    case .split: try checkArms(parts, at: place)
    }
    try check(parts.named, place.field, place.surface)
  }

  /// Throws for a container that has no name in the application, if the application names any.
  func checkContainer(_ place: RoutePlace) throws(EngagementError) {
    guard case .container(let container) = place else { return }
    guard !container.rawValue.isEmpty else {
      throw .configurationFault("routes.containers has an empty name.")
    }
    let names = containers.places.keys.sorted().map(\.rawValue)
    guard !names.isEmpty, containers.places[container] == nil else { return }
    throw .configurationFault(
      "routes.containers has \"\(container)\", which containers has not"
        + NearestName.hint(for: container.rawValue, among: names))
  }

  private func checkStrategy(
    _ strategy: RouteStrategy, at place: RoutePlace
  ) throws(EngagementError) {
    let surface = place.surface
    guard !surface.strategies.contains(strategy) else { return }
    let able = RoutedSurface.allCases.filter { $0.strategies.contains(strategy) }
      .map { "routes.\($0.rawValue)" }
    let which = "is \(strategy.rawValue), which \(able.words(last: "and")) can have"
    if strategy == .mirror, surface.strategies.contains(.merge) {
      throw fault(
        place.field, which + ": an action on an item goes to its own vendor alone. Use merge.")
    }
    let usable: [RouteStrategy] = [.only, .merge, .mirror, .split, .none]
    throw fault(
      place.field,
      which + "; use "
        + usable.filter(surface.strategies.contains).map(\.rawValue).words(last: "or") + ".")
  }

  private func checkFilled(
    _ named: [ProviderID], _ strategy: RouteStrategy, _ place: RoutePlace
  ) throws(EngagementError) {
    guard named.isEmpty else { return }
    throw fault(
      place.field, "is \(strategy.rawValue) of nothing; name at least one provider.")
  }

  private func checkShadow(_ parts: Route.Parts, at place: RoutePlace) throws(EngagementError) {
    guard let inner = parts.inner, let shadow = parts.shadow else { return }
    guard Self.shadowed.contains(inner.parts.strategy) else {
      throw fault(
        place.field,
        "has \(inner.parts.strategy.rawValue) inside shadow; a shadow shows only, merge or "
          + "firstReady.")
    }
    try checkAlone(inner, at: place)
    try checkFilled(shadow.candidates, .shadow, place)
    try check(shadow.candidates, place.field, place.surface)
    for id in inner.providers + shadow.candidates where isBridged(id, to: place.surface) {
      throw fault(
        place.field,
        "compares \"\(id)\", whose items are of the other kind; a shadow compares items of one kind."
      )
    }
    for candidate in shadow.candidates {
      guard !inner.providers.contains(candidate) else {
        throw fault(
          place.field,
          "has \"\(candidate)\" as a candidate, and shows it already; leave it out.")
      }
      let capabilities = providers.first { $0.id == candidate }?.adapter.capabilities
      for verb in place.surface.verbs
      where capabilities?.ability(verb).readingHasSideEffects == true {
        throw fault(
          place.field,
          "reads \"\(candidate)\" as a shadow, and reading \(verb) changes something there; "
            + "leave it out.")
      }
    }
  }

  private func isBridged(_ id: ProviderID, to surface: RoutedSurface) -> Bool {
    surface.isBridged(to: providers.first { $0.id == id }?.adapter.capabilities)
  }

  private static let shadowed: Set<RouteStrategy> = [.only, .merge, .firstReady]

  private func checkArms(_ parts: Route.Parts, at place: RoutePlace) throws(EngagementError) {
    guard let split = parts.split else { return }
    let field = "\(place.field).split"
    for arm in split.arms {
      try check(arm.providers, "\(field).arms.\(arm.name)", place.surface)
    }
    try check(split.otherwise, "\(field).otherwise", place.surface)
  }

  /// Throws for a provider that is there twice, that is no provider, or that lacks the surface.
  private func check(
    _ named: [ProviderID], _ field: String, _ surface: RoutedSurface
  ) throws(EngagementError) {
    var seen: Set<ProviderID> = []
    for id in named {
      let provider = try providers.configured(id, field)
      guard seen.insert(id).inserted else { throw fault(field, "names \"\(id)\" twice.") }
      guard !surface.isServed(by: provider.adapter.capabilities) else { continue }
      let able = providers.able(to: surface)
      throw fault(
        field,
        "names \"\(id)\", which has no \(surface.rawValue); "
          + (able.isEmpty
            ? "no provider has; use none." : "use " + able.joined(separator: " or ") + "."))
    }
  }

  // MARK: A route beside others

  private func check(
    _ route: Route, at place: RoutePlace, beside routes: Routes
  ) throws(EngagementError) {
    guard let split = route.parts.split else { return }
    for (other, route) in routes.places where other != place {
      guard let theirs = route.parts.split else { continue }
      if split.name == theirs.name {
        guard !split.hasSameDesign(as: theirs) else { continue }
        throw fault(
          place.field,
          ".split is the experiment \"\(split.experiment)\" with other arms than \(other.field); "
            + "make them equal or rename one.")
      }
      guard let layer = split.layer, let taken = theirs.layer,
        layer.name == taken.name, layer.slots.overlaps(taken.slots)
      else { continue }
      throw fault(
        place.field,
        ".split.layer \"\(layer.name)\" has slots \(layer.words), and the experiment "
          + "\"\(theirs.experiment)\" of \(other.field) has \(taken.words) of them; they cannot "
          + "overlap.")
    }
  }

  private func fault(_ field: String, _ sentence: String) -> EngagementError {
    .configurationFault(field + (sentence.hasPrefix(".") ? "" : " ") + sentence)
  }
}

extension [Provider] {
  /// The names of the providers that serve the surface, those with items of another kind at the end.
  fileprivate func able(to surface: RoutedSurface) -> [String] {
    let services: [(name: String, service: SurfaceService?)] = map {
      ("\"\($0.id)\"", surface.service(of: $0.adapter.capabilities))
    }
    return services.filter { $0.service == .native }.map(\.name)
      + services.filter { $0.service == .bridged }.map { "\($0.name) (bridged)" }
  }

  /// The provider that a field names; throws `invalidConfiguration` if there is none.
  func configured(_ id: ProviderID, _ field: String) throws(EngagementError) -> Provider {
    guard let provider = first(where: { $0.id == id }) else {
      throw .configurationFault(
        "\(field) names \"\(id)\", which is no provider"
          + NearestName.hint(for: id.rawValue, among: map(\.id.rawValue)))
    }
    return provider
  }
}

extension EngagementError {
  /// An error in the arguments of `Engagement.open`.
  static func configurationFault(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
  }
}

extension [String] {
  /// The words as a list: `a, b and c`.
  fileprivate func words(last: String) -> String {
    guard count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(last) " + self[count - 1]
  }
}

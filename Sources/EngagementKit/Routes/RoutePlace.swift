import EngagementAdapterAPI
import EngagementModel

/// What has a route: a surface, or a container whose cards have a route of their own.
enum RoutePlace: Hashable, Sendable {
  case surface(RoutedSurface)
  case container(ContainerID)

  /// Throws `invalidArgument` for a surface that has no route, and for a container of a surface without
  /// containers.
  init(_ surface: Surface, in container: ContainerID?) throws(EngagementError) {
    let routed = try RoutedSurface(surface)
    guard let container else {
      self = .surface(routed)
      return
    }
    guard routed == .cards else {
      throw .argumentFault("\(surface) has no containers; only cards have.")
    }
    self = .container(container)
  }

  /// The surface of the items that the route leads to.
  var surface: RoutedSurface {
    switch self {
    case .surface(let surface): surface
    case .container: .cards
    }
  }

  /// The field of the configuration, for messages.
  var field: String {
    switch self {
    case .surface(let surface): "routes.\(surface.rawValue)"
    case .container(let container): "routes.containers[\"\(container)\"]"
    }
  }
}

/// The surfaces that have a route.
enum RoutedSurface: String, Hashable, Sendable, CaseIterable {
  case cards, inbox, templates, push, person, events

  var surface: Surface { Surface(rawValue) }

  /// Throws `invalidArgument` with the nearest name for a surface that has no route.
  init(_ surface: Surface) throws(EngagementError) {
    guard let routed = RoutedSurface(rawValue: surface.rawValue) else {
      let names = Self.allCases.map(\.rawValue)
      // The ledger names the surface after its items, and the route after what presents them.
      let hint =
        surface == .campaigns
        ? "; did you mean \"templates\"?" : NearestName.hint(for: surface.rawValue, among: names)
      throw EngagementError(.invalidArgument, "\"\(surface)\" has no route" + hint)
    }
    self = routed
  }

  /// The ways to choose providers that the surface can have.
  var strategies: Set<RouteStrategy> {
    switch self {
    case .cards, .inbox: [.only, .none, .merge, .firstReady, .shadow, .split]
    case .templates: [.only, .none, .merge, .split]
    case .push: [.only, .none, .mirror, .split]
    case .person, .events: [.only, .none, .mirror]
    }
  }

  /// How a route may choose among several providers, in one order.
  fileprivate var strategiesOfSeveral: [String] {
    RouteStrategy.allCases.filter {
      [.merge, .firstReady, .mirror].contains($0) && strategies.contains($0)
    }.map(\.rawValue)
  }

  /// The operations of which a provider of the surface has at least one.
  var verbs: [Operation.Verb] {
    switch self {
    case .cards: [.cards]
    case .inbox: [.inbox]
    case .templates: [.campaigns]
    case .push: [.registerPush]
    case .person: [.updatePerson, .associate]
    case .events: [.events]
    }
  }

  /// The surface whose route names the providers for the operation. Nil if no route limits them.
  init?(tellingOf verb: Operation.Verb) {
    switch verb {
    case .registerPush, .unregisterPush, .pushContainers: self = .push
    case .updatePerson, .associate: self = .person
    default: return nil
    }
  }
}

extension Engagement {
  /// How a route of the surface may choose among several providers, by the names that JSON has; nil for a
  /// surface that has no route.
  public static func strategies(of surface: Surface) -> [String]? {
    RoutedSurface(rawValue: surface.rawValue)?.strategiesOfSeveral
  }
}

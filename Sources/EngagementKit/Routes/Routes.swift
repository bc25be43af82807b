public import EngagementModel

extension Engagement {
  /// The route of each surface. Nil: every provider that takes it.
  public struct Routes: Hashable, Sendable {
    public var cards: Route
    public var inbox: Route
    public var templates: Route?
    public var push: Route?
    public var person: Route?
    public var events: Route?
    /// Containers whose cards have another route than `cards`.
    public var containers: [ContainerID: Route]

    public init(
      cards: Route, inbox: Route, templates: Route? = nil, push: Route? = nil,
      person: Route? = nil, events: Route? = nil, containers: [ContainerID: Route] = [:]
    ) {
      self.cards = cards
      self.inbox = inbox
      self.templates = templates
      self.push = push
      self.person = person
      self.events = events
      self.containers = containers
    }

    /// The route of the place; nil if it has none of its own.
    func route(at place: RoutePlace) -> Route? {
      switch place {
      case .surface(.cards): cards
      case .surface(.inbox): inbox
      case .surface(.templates): templates
      case .surface(.push): push
      case .surface(.person): person
      case .surface(.events): events
      case .container(let container): containers[container]
      }
    }

    /// Sets the route of the place. Nil leaves it without one; cards and inbox keep theirs.
    mutating func set(_ route: Route?, at place: RoutePlace) {
      switch place {
      case .surface(.cards): cards = route ?? cards
      case .surface(.inbox): inbox = route ?? inbox
      case .surface(.templates): templates = route
      case .surface(.push): push = route
      case .surface(.person): person = route
      case .surface(.events): events = route
      case .container(let container): containers[container] = route
      }
    }

    /// Every place that has a route, in one order.
    var places: [(place: RoutePlace, route: Route)] {
      let places =
        RoutedSurface.allCases.map(RoutePlace.surface)
        + containers.keys.sorted().map(RoutePlace.container)
      return places.compactMap { place in route(at: place).map { (place, $0) } }
    }
  }
}

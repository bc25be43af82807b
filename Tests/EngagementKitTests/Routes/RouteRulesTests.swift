import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// A route with one fault, and its error message.
struct RouteFault: Sendable, CustomTestStringConvertible {
  var message: String
  var place: RoutePlace
  /// Routes beside it, which are no fault by themselves.
  var others: @Sendable () throws -> [RoutePlace: Route]
  var route: @Sendable () throws -> Route
  var testDescription: String { message }

  init(
    _ place: RoutePlace, _ message: String,
    beside others: @escaping @Sendable () throws -> [RoutePlace: Route] = { [:] },
    route: @escaping @Sendable () throws -> Route
  ) {
    self.message = "\(place.field)\(message)"
    self.place = place
    self.others = others
    self.route = route
  }
}

@Suite("rules of routes") struct RouteRulesTests {
  private static let cards = RoutePlace.surface(.cards)
  private static let inbox = RoutePlace.surface(.inbox)

  private static let adapters: [PuppetAdapter] = [
    PuppetAdapter("braze"), PuppetAdapter("atomic", hasContainers: true),
    PuppetAdapter("bare", abilities: [.person: .request]),
    PuppetAdapter(
      "clevertap", abilities: [.inbox: Ability(.request, readingHasSideEffects: true)]),
  ]
  private static let providers = Engagement.Providers(adapters.map { ($0.provider, $0) })
  private static let containers: ContainerMap = ["home": [:]]

  private static func split(
    _ experiment: String = "e", _ arms: [Engagement.Split.Arm] = [.init("a", providers: ["braze"])],
    otherwise: [ProviderID] = [], slots: Range<Int>? = nil
  ) throws -> Route {
    .split(
      try .init(
        experiment, arms: arms, otherwise: otherwise,
        layer: slots.map { .init("home", slots: $0) }))
  }

  static let faults: [RouteFault] = [
    RouteFault(cards, " names \"brase\", which is no provider; did you mean \"braze\"?") {
      .only("brase")
    },
    RouteFault(
      inbox,
      " names \"nothing-like-it\", which is no provider; there is \"braze\", \"atomic\", \"bare\", \"clevertap\"."
    ) { .merge(["braze", "nothing-like-it"]) },
    RouteFault(cards, " names \"braze\" twice.") { .merge(["braze", "braze"]) },
    RouteFault(cards, " merges nothing; name at least one provider.") { .merge([]) },
    RouteFault(cards, " is firstReady of nothing; name at least one provider.") { .firstReady([]) },
    RouteFault(.surface(.push), " is mirror of nothing; name at least one provider.") {
      .mirror([])
    },
    RouteFault(cards, " is shadow of nothing; name at least one provider.") {
      .shadow(.only("braze"), try .init([]))
    },
    RouteFault(
      cards,
      " names \"bare\", which has no cards; use \"braze\" or \"atomic\" or \"clevertap\" (bridged)."
    ) {
      .firstReady(["braze", "bare"])
    },
    RouteFault(
      .surface(.templates), " names \"bare\", which has no templates; no provider has; use none."
    ) {
      .only("bare")
    },
    RouteFault(
      cards,
      " is mirror, which routes.push, routes.person and routes.events can have: an action on an item goes to its own vendor alone. Use merge."
    ) { .mirror(["braze"]) },
    RouteFault(
      .surface(.templates),
      " is firstReady, which routes.cards and routes.inbox can have; use only, merge, split or none."
    ) { .firstReady(["braze"]) },
    RouteFault(
      .surface(.push),
      " is merge, which routes.cards, routes.inbox and routes.templates can have; use only, mirror, split or none."
    ) { .merge(["braze"]) },
    RouteFault(
      .surface(.person),
      " is split, which routes.cards, routes.inbox, routes.templates and routes.push can have; use only, mirror or none."
    ) { try split() },
    RouteFault(
      .surface(.events),
      " is shadow, which routes.cards and routes.inbox can have; use only, mirror or none."
    ) { .shadow(.only("braze"), try .init(["atomic"])) },
    RouteFault(
      inbox,
      " reads \"clevertap\" as a shadow, and reading inbox changes something there; leave it out."
    ) { .shadow(.only("braze"), try .init(["atomic", "clevertap"])) },
    RouteFault(cards, " has \"braze\" as a candidate, and shows it already; leave it out.") {
      .shadow(.merge(["atomic", "braze"]), try .init(["braze"]))
    },
    RouteFault(
      cards,
      " compares \"clevertap\", whose items are of the other kind; a shadow compares items of one kind."
    ) { .shadow(.only("braze"), try .init(["clevertap"])) },
    RouteFault(cards, " has split inside shadow; a shadow shows only, merge or firstReady.") {
      .shadow(try split(), try .init(["atomic"]))
    },
    RouteFault(cards, " has shadow inside shadow; a shadow shows only, merge or firstReady.") {
      .shadow(.shadow(.only("braze"), try .init(["atomic"])), try .init(["atomic"]))
    },
    RouteFault(cards, " has none inside shadow; a shadow shows only, merge or firstReady.") {
      .shadow(.none, try .init(["atomic"]))
    },
    RouteFault(
      cards, ".split.arms.a names \"atomik\", which is no provider; did you mean \"atomic\"?"
    ) {
      try split("e", [.init("a", providers: ["atomik"])])
    },
    RouteFault(cards, ".split.otherwise names \"braze\" twice.") {
      try split(otherwise: ["braze", "braze"])
    },
    RouteFault(
      .container("home"),
      " names \"bare\", which has no cards; use \"braze\" or \"atomic\" or \"clevertap\" (bridged)."
    ) { .only("bare") },
  ]

  private static func routes(_ fault: RouteFault) throws -> Routes {
    var routes = Routes(cards: .only("braze"), inbox: .none)
    for (place, route) in try fault.others() { routes.set(route, at: place) }
    routes.set(try fault.route(), at: fault.place)
    return routes
  }

  @Test(
    "X2: each wrong route is refused with field, value and nearest name", arguments: faults)
  func alone(fault: RouteFault) async throws {
    let (route, routes) = (try fault.route(), try Self.routes(fault))
    let opened = await failure {
      try await Engagement.open(
        cache: .temporary, device: .test, transport: ScriptedTransport([:]),
        providers: Self.providers, routes: routes, containers: Self.containers)
    }
    #expect(opened?.code == .invalidConfiguration)
    #expect(opened?.message == fault.message)
    let read = await failure {
      try EngagementReader.open(
        cache: .file("cache.sqlite"), providers: Self.providers, routes: routes,
        containers: Self.containers)
    }
    #expect(read == opened)
    let engagement = try await Engagement.open(
      cache: .temporary, device: .test, transport: ScriptedTransport([:]),
      providers: Self.providers, routes: Routes(cards: .only("braze"), inbox: .none),
      containers: Self.containers)
    let set = await failure {
      switch fault.place {
      case .surface(let surface): try await engagement.setRoute(route, for: surface.surface)
      case .container(let container):
        try await engagement.setRoute(route, for: .cards, in: container)
      }
    }
    #expect(set == opened)
    #expect(engagement.routes == Routes(cards: .only("braze"), inbox: .none))
    try await engagement.close()
  }

  static let disagreements: [RouteFault] = [
    RouteFault(
      cards,
      ".split.layer \"home\" has slots 0 to 5000, and the experiment \"push\" of routes.push has 4000 to 6000 of them; they cannot overlap.",
      beside: { [.surface(.push): try split("push", slots: 4_000..<6_000)] },
      route: { try split(slots: 0..<5_000) }),
    RouteFault(
      cards,
      ".split is the experiment \"e\" with other arms than routes.inbox; make them equal or rename one.",
      beside: { [inbox: try split("e", [.init("b", providers: ["braze"])])] },
      route: { try split() }),
  ]

  @Test("X11: experiments of several routes agree", arguments: disagreements)
  func together(fault: RouteFault) throws {
    let rules = RouteRules(providers: Self.providers.list, containers: Self.containers)
    let (route, routes) = (try fault.route(), try Self.routes(fault))
    let whole = #expect(throws: EngagementError.self) { try rules.check(routes) }
    #expect(whole?.message == fault.message)
    let one = #expect(throws: EngagementError.self) {
      try rules.check(route, at: fault.place, among: routes)
    }
    #expect(one?.message == fault.message)
  }

  @Test("X11: slots side by side, and one design for two routes, are no fault of each other")
  func agreeing() throws {
    let rules = RouteRules(providers: Self.providers.list, containers: Self.containers)
    let other = [
      Engagement.Split.Arm("b", providers: []), .init("a", weight: 2, providers: ["atomic"]),
    ]
    let same = [
      Engagement.Split.Arm("a", weight: 2, providers: ["braze"]), .init("b", providers: ["braze"]),
    ]
    for inbox in [
      try Self.split("f", slots: 5_000..<6_000), try Self.split("e", other, slots: 0..<5_000),
    ] {
      let routes = Routes(cards: try Self.split("e", same, slots: 0..<5_000), inbox: inbox)
      try rules.check(routes)
    }
  }

  @Test("X2: a container that the application does not name is refused with the nearest name")
  func unknownContainer() async throws {
    let rules = RouteRules(providers: Self.providers.list, containers: Self.containers)
    var routes = Routes(cards: .none, inbox: .none, containers: ["hoem": .none])
    func message() -> String? {
      do throws(EngagementError) {
        try rules.check(routes)
        return nil
      } catch { return error.message }
    }
    #expect(
      message()
        == "routes.containers has \"hoem\", which containers has not; did you mean \"home\"?")
    routes.containers = ["": .none]
    #expect(message() == "routes.containers has an empty name.")
    routes.containers = ["home": .none]
    #expect(message() == nil)
    // Without names of containers every name is one.
    try RouteRules(providers: Self.providers.list, containers: [:])
      .check(Routes(cards: .none, inbox: .none, containers: ["hoem": .none]))
  }

  @Test(
    "X2: a surface without a route is refused with the nearest name",
    arguments: [
      ("crads", nil, "\"crads\" has no route; did you mean \"cards\"?"),
      ("campaigns", nil, "\"campaigns\" has no route; did you mean \"templates\"?"),
      ("inbox", "home", "inbox has no containers; only cards have."),
    ] as [(Surface, ContainerID?, String)])
  func surface(surface: Surface, container: ContainerID?, message: String) async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    let error = await failure {
      try await stage.engagement.setRoute(.none, for: surface, in: container)
    }
    #expect(error == EngagementError(.invalidArgument, message))
    try await stage.end()
  }
}

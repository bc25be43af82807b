import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("plans of routes") struct RoutePlanTests {
  private static let cards = RoutePlace.surface(.cards)

  private func plan(
    _ route: Route, _ circumstances: RouteCircumstances = RouteCircumstances()
  ) -> RoutePlan {
    route.plan(at: Self.cards, in: circumstances)
  }

  @Test("X2: a plan shows the providers of the route, each once in its order")
  func shown() {
    #expect(plan(.only("b")) == RoutePlan(shown: ["b"]))
    #expect(plan(.merge(["b", "a", "b"])) == RoutePlan(shown: ["b", "a"], isMerged: true))
    #expect(plan(.none) == RoutePlan())
    #expect(plan(.mirror(["a", "b"])) == RoutePlan(shown: ["a", "b"]))
  }

  @Test("X9: a plan with a fail-over shows one candidate: the first, or the one that took over")
  func failOver() {
    let route = Route.firstReady(["a", "b"])
    #expect(plan(route) == RoutePlan(shown: ["a"], candidates: ["a", "b"]))
    let fallen = RouteCircumstances(failOver: [Self.cards: "b"])
    #expect(plan(route, fallen).shown == ["b"])
    let elsewhere = RouteCircumstances(failOver: [.surface(.inbox): "b"])
    #expect(plan(route, elsewhere).shown == ["a"])
    let gone = RouteCircumstances(failOver: [Self.cards: "c"])
    #expect(plan(route, gone).shown == ["a"])
  }

  @Test("X10: a shadow changes nothing of what is shown")
  func shadow() throws {
    let route = Route.shadow(.merge(["a", "b"]), try .init(["c"]))
    #expect(
      plan(route) == RoutePlan(shown: ["a", "b"], isMerged: true, shadows: ["c"]))
    #expect(route.providers == ["a", "b", "c"])
  }

  @Test("X11: a split shows the providers of the person's arm, and others to people outside")
  func split() throws {
    let split = try Engagement.Split(
      "e",
      arms: [.init("one", providers: ["a"]), .init("both", providers: ["b", "a"])]
        + [.init("nobody", providers: [])], otherwise: ["c"])
    func shown(_ standing: Engagement.Split.Standing?) -> RoutePlan {
      plan(.split(split), RouteCircumstances(arms: standing.map { ["e": $0] } ?? [:]))
    }
    #expect(shown(.arm("one")).shown == ["a"] && !shown(.arm("one")).isMerged)
    #expect(shown(.arm("both")).shown == ["b", "a"] && shown(.arm("both")).isMerged)
    #expect(shown(.arm("nobody")).shown.isEmpty)
    #expect(shown(.arm("nobody")).experiment == .init(experiment: "e", name: "nobody"))
    #expect(shown(.outside).shown == ["c"] && shown(.heldOut).shown == ["c"])
    #expect(shown(.arm("gone")).experiment == .init(experiment: "e", name: nil))
    // Not even the providers for others, until it is known where the person stands.
    #expect(shown(nil).shown.isEmpty)
    #expect(Route.split(split).providers == ["a", "b", "c"])
  }

  @Test("X2: a plan is the same for the application and a reader")
  func sameForReader() async throws {
    let place = Stage.Place()
    let vendors = [PuppetAdapter("a", hasContainers: true), PuppetAdapter("b")]
    let stage = try await Stage(vendors, at: place) { _ in .json(200, #"["1","2"]"#) }
    try await stage.signIn("u-1")
    for container: ContainerID in ["home", "news"] {
      _ = await stage.engagement.refresh(.cards(in: container))
    }
    _ = await stage.engagement.refresh(.inbox)
    let reader = try EngagementReader.open(at: place, vendors)
    let changes: [(Route, Surface, ContainerID?, shown: [Int])] = [
      (.only("b"), .cards, nil, [2, 2, 4]), (.merge(["b", "a"]), .cards, "news", [2, 4, 4]),
      (.none, .inbox, nil, [2, 4, 0]), (.none, .cards, "home", [0, 4, 0]),
      (.only("a"), .cards, nil, [0, 4, 0]), (.only("a"), .inbox, nil, [0, 4, 2]),
    ]
    for (route, surface, container, shown) in changes {
      try await stage.engagement.setRoute(route, for: surface, in: container)
      let feeds = ["home", "news"].map { stage.engagement.cards(in: $0) }
      #expect(
        feeds.map(\.cards.count) + [stage.engagement.inbox.messages.count] == shown, "\(route)")
      #expect(try reader.cards(in: "home") == feeds[0])
      #expect(try reader.cards(in: "news") == feeds[1])
      #expect(try reader.inbox() == stage.engagement.inbox)
    }
    try await stage.end()
  }

  @Test("X2: a container may have a route of its own")
  func container() async throws {
    let vendors = [
      PuppetAdapter("a", hasContainers: true), PuppetAdapter("b", hasContainers: true),
    ]
    let routes = Routes(
      cards: .only("a"), inbox: .none, containers: ["news": .merge(["b", "a"]), "none": .none])
    let place = Stage.Place()
    let stage = try await Stage(vendors, routes: routes, at: place) { _ in .json(200, #"["1"]"#) }
    try await stage.signIn("u-1")
    let engagement = stage.engagement
    func providers(of container: ContainerID) -> Set<ProviderID> {
      Set(engagement.cards(in: container).cards.map(\.id.provider))
    }
    #expect(await engagement.refresh(.cards(in: "home")).providers == ["a": .fresh])
    #expect(await engagement.refresh(.cards(in: "none")).providers.isEmpty)
    #expect(
      await engagement.refresh(.cards(in: "news")).providers == ["a": .fresh, "b": .fresh])
    #expect(providers(of: "home") == ["a"] && providers(of: "news") == ["a", "b"])
    #expect(providers(of: "none").isEmpty)
    try await engagement.setRoute(.only("b"), for: .cards, in: "news")
    #expect(providers(of: "home") == ["a"] && providers(of: "news") == ["b"])
    #expect(engagement.routes.containers["news"] == .only("b"))
    try await stage.end()
    // The route of a container is kept over a restart.
    let later = try await Stage(vendors, routes: routes, at: place)
    #expect(later.engagement.routes.containers == ["news": .only("b"), "none": .none])
    try await later.end()
  }

  @Test("A3: a live channel is for the containers that its provider fills")
  func live() async throws {
    let stage = FeedStage(
      Routes(cards: .only("a"), inbox: .none, containers: ["news": .only("b")]))
    _ = stage.feedPublisher.add(.cards("home", matching: [], { _ in }, finish: {}))
    _ = stage.feedPublisher.add(.cards("news", matching: [], { _ in }, finish: {}))
    #expect(stage.feedPublisher.shownFeeds(of: "a") == [Feed(.cards, in: "home")])
    #expect(stage.feedPublisher.shownFeeds(of: "b") == [Feed(.cards, in: "news")])
    #expect(stage.feedPublisher.shownFeeds(of: "flat") == nil)
  }
}

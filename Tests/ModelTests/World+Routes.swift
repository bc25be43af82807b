import EngagementModel

@testable import EngagementKit

/// The routes of an installation, and what they must never show.
extension World {
  func setRoute(
    of place: ScheduleStep.RoutedPlace, _ choice: ScheduleStep.RouteChoice
  ) async throws {
    let surface: Surface =
      switch place {
      case .cards: .cards
      case .inbox: .inbox
      case .events: "events"
      }
    let route = try Self.route(choice, isOfItems: place != .events)
    if let route {
      try await engagement.setRoute(route, for: surface)
    } else {
      try await engagement.resetRoute(for: surface)
    }
    switch place {
    case .cards: routes.cards = route ?? Self.configured.cards
    case .inbox: routes.inbox = route ?? Self.configured.inbox
    case .events: routes.events = route
    }
  }

  /// Nil for the configured one.
  private static func route(
    _ choice: ScheduleStep.RouteChoice, isOfItems: Bool
  ) throws -> Engagement.Route? {
    switch choice {
    case .first: .only(providers[0])
    case .second: .only(providers[1])
    case .both: isOfItems ? .merge(providers) : .mirror(providers)
    case .firstReady: isOfItems ? .firstReady(providers) : .mirror(providers)
    case .shadow: isOfItems ? .shadow(.only(providers[0]), try .init([providers[1]])) : nil
    case .split: isOfItems ? .split(try experiment) : nil
    case .none: Engagement.Route.none
    case .configured: nil
    }
  }

  /// The providers that are told of the application's events now.
  var toldOfEvents: [ProviderID] {
    routes.events.map(\.providers) ?? Self.providers
  }

  /// What is shown against the route; nil for nothing.
  func fault(of ids: [ItemID], by route: Engagement.Route) -> String? {
    let shown = Set(ids.map(\.provider))
    if let foreign = shown.first(where: { !Self.shown(by: route).contains($0) }) {
      return "\(foreign) is shown, which the route \(route) has not"
    }
    switch route {
    case .firstReady where shown.count > 1: return "a fail-over shows two providers"
    case .merge where ids != ids.sorted(): return "the merged order is another one: \(ids)"
    case .split: return fault(of: shown)
    case .firstReady, .merge, .only, .none, .mirror, .shadow: return nil
    @unknown default: return "the route \(route) is not known here"
    }
  }

  private static func shown(by route: Engagement.Route) -> [ProviderID] {
    if case .shadow(let shown, _) = route { shown.providers } else { route.providers }
  }

  // MARK: The experiment

  private static let name = "home"

  private static var experiment: Engagement.Split {
    get throws(EngagementError) {
      try Engagement.Split(
        name,
        arms: [
          .init("memory", providers: [providers[0]]), .init("second", providers: [providers[1]]),
          .init("nobody", providers: []),
        ])
    }
  }

  /// A person is in one arm, whichever surface it fills and whoever was here before.
  private func fault(of shown: Set<ProviderID>) -> String? {
    guard let provider = shown.first else { return nil }
    let arm = reference.arms[user] ?? provider
    reference.arms[user] = arm
    return shown == [arm] ? nil : "\(user) is in the arm of \(arm) and sees \(shown)"
  }

  /// What the event log has of the experiment: the current user is exposed once, and to what was shown.
  func exposureFaults() async throws -> [String] {
    let held: [JSONObject]
    do throws(EngagementError) {
      held = try await engagement.exportData(of: user)
    } catch {
      return error.code == .notFound ? [] : ["\(error)"]
    }
    let exposures = held.filter {
      $0["kind"]?.string == EngagementEvent.Kind.experimentExposed.rawValue
    }
    if exposures.count > 1 { return ["\(user) was exposed \(exposures.count) times"] }
    if let arm = reference.arms[user], let exposure = exposures.first,
      exposure["properties"]?["arm"]?.string != arm.rawValue
    {
      return ["\(user) saw the arm of \(arm), and the event log has \(exposure)"]
    }
    return []
  }

  /// Faults of the routes that hold now.
  var routeFaults: [String] {
    let held = engagement.routes
    return held == routes ? [] : ["the routes are \(held), not \(routes)"]
  }
}

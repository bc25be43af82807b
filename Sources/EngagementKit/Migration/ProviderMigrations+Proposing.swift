import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension ProviderMigrations {
  /// A plan with the stages that each surface can have, by what the providers can do and by the routes.
  ///
  /// - Parameter surfaces: In the order in which they move; nil for all that can.
  func propose(
    from: ProviderID, to: ProviderID, _ surfaces: [RoutedSurface]?, shares: [Int],
    takesBack: Bool, isAutomatic: Bool
  ) async throws(EngagementError) -> Engagement.MigrationPlan {
    for (field, id) in [("from", from), ("to", to)] {
      _ = try dependencies.providers.configured(id, field)
    }
    var last = 0
    for share in shares {
      guard (1...99).contains(share), share > last else {
        throw .argumentFault(
          "shares has \(share); shares are from 1 to 99, and each is larger than the last.")
      }
      last = share
    }
    let memory = try await memory()
    let routes = routeStore.read(memory).routes
    var moves: [Engagement.MigrationPlan.Move] = []
    for surface in surfaces ?? Self.movable {
      try MigrationRecord.checkReadable(surface, in: memory)
      do throws(EngagementError) {
        let former = formerRoute(of: surface, in: memory)
        let stages = try stages(of: surface, from: from, to: to, shares, former, routes)
        moves.append(.init(surface.surface, stages: stages))
      } catch  where surfaces == nil {
        // It has no place to move to, or none to move from.
      }
    }
    guard !moves.isEmpty else {
      throw .configurationFault("No surface can move from \"\(from)\" to \"\(to)\".")
    }
    return try Engagement.MigrationPlan(
      from: from, to: to, moves: moves, takesBack: takesBack, isAutomatic: isAutomatic)
  }

  /// Pushes last: nobody is to be notified of what no screen shows.
  private static let movable: [RoutedSurface] = [.inbox, .cards, .templates, .push]

  private func stages(
    of surface: RoutedSurface, from: ProviderID, to: ProviderID, _ shares: [Int],
    _ former: Route?, _ routes: Routes
  ) throws(EngagementError) -> [Engagement.MigrationStage] {
    let place = RoutePlace.surface(surface)
    let planned = try MigrationRoutes(
      from: from, to: to, surface, former: former, among: dependencies.providers)
    let last: [Engagement.MigrationStage] = [.cutover, .drain, .removed]
    for stage in last {
      _ = try routeStore.routes(routes, with: try planned.route(at: stage), at: place)
    }
    var first = [Engagement.MigrationStage.shadow]
    first += shares.prefix(1).map { .canary(percent: $0) }
    first += shares.dropFirst().map { .ramp(percent: $0) }
    guard surface != .person, surface != .events else { return last }
    let possible = first.filter { stage in
      do throws(EngagementError) {
        _ = try routeStore.routes(routes, with: try planned.route(at: stage), at: place)
        return true
      } catch {
        return false
      }
    }
    return possible + last
  }
}

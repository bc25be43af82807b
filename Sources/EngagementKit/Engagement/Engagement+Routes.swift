public import EngagementModel

extension Engagement {
  // MARK: Routes

  /// The routes that hold now.
  public var routes: Routes { feedPublisher.plans.routes }

  /// Feeds a surface, or one container of cards, from other providers, from now on and over restarts.
  ///
  /// When it returns nothing of the former providers is shown any more. What was done to their
  /// items is still sent to them, and what they answer later is kept for them. What the new ones have
  /// is shown as far as it is in the cache; `refresh` asks for the rest. Other processes of the cache
  /// follow within a second.
  ///
  /// Throws `invalidConfiguration` for a route that `open` would refuse, with the same message, and
  /// `invalidArgument` for a surface that has no route, and for a container of a surface without
  /// containers.
  public func setRoute(
    _ route: Route, for surface: Surface, in container: ContainerID? = nil
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await change(route, at: RoutePlace(surface, in: container))
  }

  /// Follows the configured route again, from now on and over restarts.
  ///
  /// Throws `invalidArgument` as `setRoute` does.
  public func resetRoute(
    for surface: Surface, in container: ContainerID? = nil
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await change(nil, at: RoutePlace(surface, in: container))
  }

  private func change(_ route: Route?, at place: RoutePlace) async throws(EngagementError) {
    guard [.push, .person].contains(place.surface) else {
      return try await routeChanges.set(route, at: place)
    }
    // A change of user that is under way tells the vendors of the routes with which it began.
    try await userTransitions.queue.alone { () async throws(EngagementError) in
      try await routeChanges.set(route, at: place)
    }
  }

  /// Shows the first choice of a `firstReady` route again, if it answers now. It is asked for what has
  /// changed; nothing happens if it is shown already.
  ///
  /// Throws `unavailable`, with a `retryAfter`, while the first choice is not asked since it failed, the
  /// error of the request if it fails again, and `invalidArgument` for a place without such a route. A
  /// refusal is in the event log too.
  public func returnToFirstChoice(
    of surface: Surface, in container: ContainerID? = nil
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await refresher.returnToFirstChoice(at: RoutePlace(surface, in: container))
  }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Changes routes at run time, and follows the changes of other processes.
final class RouteChanges: Sendable {
  private let dependencies: KitDependencies
  private let feedPublisher: FeedPublisher
  private let routeStore: RouteStore
  private let pushRegistrar: PushRegistrar
  private let turn: AsyncMutex

  /// - Parameter turn: One change or look at a time, so that what is shown is what was stored last.
  init(
    _ dependencies: KitDependencies, _ feedPublisher: FeedPublisher, _ routeStore: RouteStore,
    _ pushRegistrar: PushRegistrar, turn: AsyncMutex
  ) {
    self.dependencies = dependencies
    self.feedPublisher = feedPublisher
    self.routeStore = routeStore
    self.pushRegistrar = pushRegistrar
    self.turn = turn
  }

  /// Stores the route of a place with its event, in one transaction, and then shows it. Nil: the
  /// configured route. Vendors that join or leave the route of pushes are told in the same transaction.
  ///
  /// - Parameter companion: What is stored and recorded with the route, made of the stored values in the
  ///   transaction. It may throw, and nothing changes. Nil: the route is set by the application, which is
  ///   refused while the surface moves to another provider.
  func set(
    _ route: Route?, at place: RoutePlace, with companion: Companion? = nil
  ) async throws(EngagementError) {
    guard place.surface != .push else {
      return try await pushRegistrar.inTurn { () async throws(EngagementError) in
        try await self.setPush(route, with: companion)
      }
    }
    await turn.lock()
    defer { turn.unlock() }
    let partition = dependencies.currentUser.userSession.partition
    await feedPublisher.follow(
      settling: try await commit(route, at: place, with: companion, in: partition))
  }

  typealias Companion =
    @Sendable (ProviderMemory) throws(EngagementError) -> (changes: [Change], intents: [Intent])

  private func setPush(
    _ route: Route?, with companion: Companion?
  ) async throws(EngagementError) {
    // Behind the turn of registrations, which follow routes in theirs.
    await turn.lock()
    defer { turn.unlock() }
    let userSession = dependencies.currentUser.userSession
    let (partition, place) = (userSession.partition, RoutePlace.surface(.push))
    let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
    let next = try routeStore.routes(routeStore.read(memory).routes, with: route, at: place)
    let handOver = try await pushRegistrar.handOver(
      by: try await feedPublisher.plans(of: next, for: partition), as: userSession, retrying: true)
    do throws(EngagementError) {
      await feedPublisher.follow(
        settling: try await commit(
          route, at: place, with: companion, in: partition, telling: handOver.deliveries))
    } catch {
      await pushRegistrar.takeBack(handOver)
      throw error
    }
    try await pushRegistrar.finish(handOver, as: userSession)
  }

  /// Tells vendors of the tokens what follows from the route of pushes that holds now, if they were not told
  /// yet: a route can come to hold without being set, such as the configured one where a provider of the
  /// kept one is gone, and a vendor that leaves is told only when another one has the token. Nothing is
  /// written if nothing differs.
  func handOverTokens() async {
    let userSession = dependencies.currentUser.userSession
    do throws(EngagementError) {
      let plans = feedPublisher.plans
      guard !plans.isUndecided, try await pushRegistrar.isDue(by: plans, as: userSession) else {
        return
      }
      try await pushRegistrar.inTurn { () async throws(EngagementError) in
        let plans = try await self.feedPublisher.keptPlans(for: userSession.partition)
        guard !plans.isUndecided else { return }
        let handOver = try await self.pushRegistrar.handOver(
          by: plans, as: userSession, retrying: false)
        try await self.pushRegistrar.accept(handOver, as: userSession)
      }
    } catch {
      dependencies.log(.warning, "The vendors are not told of the push tokens yet: \(error.code)")
    }
  }

  /// Returns what holds afterwards.
  private func commit(
    _ route: Route?, at place: RoutePlace, with companion: Companion?, in partition: Partition,
    telling deliveries: [Intent.Delivery] = []
  ) async throws(EngagementError) -> RouteStore.Kept {
    try await dependencies.accept(in: partition, updating: KitState.owner) {
      [self] (consent, memory, _) throws(EngagementError) in
      let former = routeStore.read(memory).routes
      let routes = try routeStore.routes(former, with: route, at: place)
      var update = Store.ValueUpdate(RouteStore.Kept(routes: routes))
      if companion == nil { try MigrationRecord.checkIdle(place, in: memory) }
      update.changes = routeStore.changes(to: route, at: place, in: memory)
      if former.route(at: place) != routes.route(at: place) {
        // Another route begins with its first choice.
        update.changes.append(KitState.change(.installation, place.failOverKey, nil))
      }
      update.outcome.failOver = routeStore.takenOver(memory.storing(update.changes), routes)
      let (from, to) = (former.effective(at: place), routes.effective(at: place))
      if from != to, ConsentPolicy(consent: consent).allows(.routeChanged) {
        let event = dependencies.event(.routeChanged, place.properties(from: from, to: to))
        update.intents = [Intent(event: event)]
      }
      var told = deliveries
      if place.surface == .person {
        told += introductions(of: partition.user, from: former, to: routes)
      }
      if !told.isEmpty { update.intents.append(Intent(deliveries: told)) }
      if let added = try companion?(memory) {
        update.changes += added.changes
        update.intents += added.intents
      }
      return update
    }
  }

  /// Tells vendors that join the route of the person who has signed in, once consent allows it.
  private func introductions(
    of user: User, from former: Routes, to routes: Routes
  ) -> [Intent.Delivery] {
    guard let id = user.id else { return [] }
    let (former, next) = (RoutePlans(former), RoutePlans(routes))
    let joining = dependencies.providers.filter { provider in
      provider.adapter.capabilities.ability(.associate).travel == .request
        && !former.lead(to: provider.id, for: .person) && next.lead(to: provider.id, for: .person)
    }
    return joining.map {
      Intent.Delivery(to: $0.id, .operation(.associate(id)), key: dependencies.key())
    }
  }

  /// Shows the routes that the cache keeps now, and tells once of each that does not hold.
  func follow() async {
    await turn.lock()
    defer { turn.unlock() }
    let partition = dependencies.currentUser.userSession.partition
    do throws(EngagementError) {
      let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
      let kept = routeStore.read(memory)
      await feedPublisher.followOthers(kept)
      if kept.refusals.contains(where: { !$0.isTold }) { try await tell(in: partition) }
    } catch {
      dependencies.log(.warning, "The routes of other processes are not followed: \(error.code)")
    }
  }

  private func tell(in partition: Partition) async throws(EngagementError) {
    let told = try await dependencies.accept(in: partition, updating: KitState.owner) {
      [dependencies, routeStore] (consent, memory, _) throws(EngagementError) in
      let kept = routeStore.read(memory)
      var update = Store.ValueUpdate(kept.refusals.filter { !$0.isTold })
      let isRecorded = ConsentPolicy(consent: consent).allows(.routeChanged)
      for refusal in update.outcome {
        let place = refusal.place
        update.changes.append(KitState.change(.installation, place.toldKey, refusal.route))
        guard isRecorded else { continue }
        var properties = place.properties(from: nil, to: kept.routes.effective(at: place))
        properties["from"] = refusal.route
        properties["reason"] = .string(refusal.reason)
        update.intents.append(Intent(event: dependencies.event(.routeChanged, properties)))
      }
      return update
    }
    for refusal in told { dependencies.log(.warning, refusal.reason) }
  }
}

extension Engagement.Routes {
  /// The route that fills the place, its own or that of its surface.
  fileprivate func effective(at place: RoutePlace) -> Route? {
    route(at: place) ?? route(at: .surface(place.surface))
  }
}

extension RoutePlace {
  /// The properties of the event of a change.
  fileprivate func properties(from former: Route?, to route: Route?) -> JSONObject {
    var properties: JSONObject = ["surface": .string(surface.rawValue)]
    if case .container(let container) = self {
      properties["container"] = .string(container.rawValue)
    }
    properties["from"] = former?.json
    properties["to"] = route?.json
    return properties
  }
}

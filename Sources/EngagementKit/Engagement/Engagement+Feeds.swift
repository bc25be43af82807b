import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  // MARK: Now

  /// The cards of a container as they are seen now: from memory, without waiting.
  public func cards(in container: ContainerID, options: CardOptions = .standard) -> CardFeed {
    feedPublisher.cards(in: container, options: options)
  }

  /// How many cards a container has now.
  public func cardCount(in container: ContainerID) -> CardCount { cards(in: container).count }

  /// The messages of the inbox as they are seen now: from memory, without waiting.
  public var inbox: InboxFeed { feedPublisher.inbox() }

  /// The card as it is seen now, a control card too; nil where the user has none of that id.
  public func card(_ id: ItemID) -> Card? { feedPublisher.card(id) }

  /// The message as it is seen now; nil where the user has none of that id.
  public func message(_ id: ItemID) -> InboxMessage? { feedPublisher.message(id) }

  // MARK: From now on

  /// The cards of a container: as they are, and again after each change.
  ///
  /// A feed whose cards are as they were comes again when a provider's freshness changed: so a
  /// refresh that worked is told from one that did not. After a switch of users the values are
  /// those of the new one, after a sign-out there are none.
  public func cardUpdates(
    in container: ContainerID, options: CardOptions = .standard
  ) -> FeedUpdates<CardFeed> {
    feedPublisher.cardUpdates(in: container, every: options.interval) { $0.feed(with: options) }
  }

  /// How many cards a container has: now, and again after each change.
  public func cardCountUpdates(
    in container: ContainerID, options: CardOptions = .standard
  ) -> FeedUpdates<CardCount> {
    feedPublisher.cardUpdates(in: container, every: options.interval) {
      $0.feed(with: options).count
    }
  }

  /// The messages of the inbox: as they are, and again after each change.
  public var inboxUpdates: FeedUpdates<InboxFeed> { feedPublisher.inboxUpdates() }

  // MARK: Routes

  /// Which providers feed which surface now.
  public var routes: Routes { feedPublisher.routes }

  /// Feeds a surface from other providers, from now on and over restarts.
  ///
  /// When it returns nothing of the former providers is shown any more. What was done to their
  /// items is still sent to them. What the new ones have is shown as far as it is in the cache;
  /// `refresh` asks for the rest.
  ///
  /// Throws `invalidConfiguration` for a route that `open` would refuse, with the same message, and
  /// `invalidArgument` for a surface that has no route.
  public func setRoute(_ route: Route, for surface: Surface) async throws(EngagementError) {
    try lifecycle.checkOpen()
    guard let routed = RoutedSurface(surface) else {
      throw EngagementError(.invalidArgument, "\(surface) has no route; cards and inbox have one.")
    }
    let kept = RouteStore(dependencies)
    try dependencies.providers.check(route, of: routed)
    let former = feedPublisher.routes[routed]
    let partition = dependencies.currentUser.present.partition
    try await kept.keep(route, of: routed, in: KitState(dependencies), of: partition)
    feedPublisher.show(routed, by: route)
    guard former != route,
      ConsentPolicy(consent: try await dependencies.store.consent(of: partition)).allows(
        .routeChanged)
    else { return }
    let event = dependencies.event(
      .routeChanged, ["surface": .string(surface.rawValue), "from": former.json, "to": route.json])
    _ = try await dependencies.store.record([event], in: partition)
  }
}

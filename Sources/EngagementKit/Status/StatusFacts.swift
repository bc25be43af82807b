import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// All that the status of the surfaces follows from, read for one user.
struct StatusFacts: Sendable {
  let providers: [Provider]
  let user: User
  let consent: Consent
  let plans: RoutePlans
  /// Nil while another user's feeds are in memory.
  let feedState: FeedState?
  let failures: [RefreshFailures.Failure]
  let pushStates: [PushState]
  /// The pauses that bind now.
  var throttles: [ProviderID: [ProviderMemory.Throttle]] = [:]
  /// The operations that wait for each provider, of its oldest rows.
  var pending: [ProviderID: Set<Operation.Verb>] = [:]
  /// When the campaigns of each provider were last refreshed.
  var campaignDates: [ProviderID: Date] = [:]

  /// The status of every surface, and of every container with a route of its own.
  var surfaces: [SurfaceStatus] {
    let containers = plans.routes.containers.keys.sorted().map(RoutePlace.container)
    return (RoutedSurface.allCases.map(RoutePlace.surface) + containers).map(status)
  }

  private func status(of place: RoutePlace) -> SurfaceStatus {
    let able = providers.filter { place.surface.isServed(by: $0.adapter.capabilities) }
    let plan = plans.plan(at: place) ?? RoutePlan(shown: able.map(\.id))
    let isChosen = !plan.candidates.isEmpty
    let named = isChosen ? plan.candidates : plan.shown
    let shown = named.lastIndex(where: plan.shows) ?? named.endIndex
    let statuses = named.enumerated().compactMap { (index, id) -> ProviderStatus? in
      guard let provider = providers.first(where: { $0.id == id }) else { return nil }
      let date = refreshDate(of: provider, at: place)
      return ProviderStatus(
        id, state(of: provider, at: place, refreshedAt: date), isShown: plan.shows(id),
        refreshedAt: date, counts: !isChosen || index <= shown)
    }
    var container: ContainerID?
    if case .container(let name) = place { container = name }
    let first = isChosen ? named.first : nil
    return SurfaceStatus(
      place.surface.surface, in: container, statuses,
      replaced: first.flatMap { plan.shows($0) ? nil : $0 })
  }

  // MARK: One provider

  private func state(
    of provider: Provider, at place: RoutePlace, refreshedAt date: Date?
  ) -> ProviderState {
    let error = obstacle(to: provider, at: place) ?? failure(of: provider, at: place)
    if let error { return date.map { .stale(since: $0, error) } ?? .failed(error) }
    if let end = pause(of: provider, at: place) { return .throttled(until: end) }
    switch place.surface {
    case .cards, .inbox, .templates: return date == nil ? .unknown : .fresh
    case .push: return pushState(of: provider)
    case .person, .events:
      let verbs = place.surface.verbs
      return pending[provider.id]?.contains(where: verbs.contains) == true ? .pending : .fresh
    }
  }

  /// Why the vendor may not be asked now; nil if it may.
  private func obstacle(to provider: Provider, at place: RoutePlace) -> EngagementError? {
    let policy = ConsentPolicy(consent: consent)
    let verbs = place.surface.verbs(at: provider.adapter.capabilities)
    if !verbs.contains(where: policy.allowsSending) {
      return EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        provider: provider.id)
    }
    guard provider.serves(user) else {
      return EngagementError(
        .signedOut, "The vendor knows signed-in users only; call signIn first.",
        provider: provider.id)
    }
    return nil
  }

  private func failure(of provider: Provider, at place: RoutePlace) -> EngagementError? {
    let own = failures.filter { $0.provider == provider.id }
    if place.surface == .person { return own.first { $0.verb == .person }?.error }
    return own.first { $0.feed.map { isShown($0, of: provider, at: place) } ?? false }?.error
  }

  private func pause(of provider: Provider, at place: RoutePlace) -> Date? {
    let verbs = place.surface.verbs(at: provider.adapter.capabilities)
    return throttles[provider.id]?
      .filter { pause in pause.verb.map { verbs.contains($0) } ?? true }
      .map(\.until).max()
  }

  private func pushState(of provider: Provider) -> ProviderState {
    let states = pushStates.filter { $0.provider == provider.id }
    for case .failed(let code, let reason) in states.map(\.phase) {
      return .failed(
        EngagementError(code, reason, provider: provider.id, operation: "registerPush"))
    }
    if states.contains(where: { $0.phase == .pending }) { return .pending }
    return states.isEmpty ? .unknown : .fresh
  }

  // MARK: Feeds

  private func refreshDate(of provider: Provider, at place: RoutePlace) -> Date? {
    switch place.surface {
    case .cards, .inbox:
      feedState?.refreshDates(of: provider.id)
        .filter { isShown($0.key, of: provider, at: place) }.map(\.value).min()
    case .templates: campaignDates[provider.id]
    case .push, .person, .events: nil
    }
  }

  /// Whether the place shows items of the provider's feed.
  private func isShown(_ feed: Feed, of provider: Provider, at place: RoutePlace) -> Bool {
    switch place {
    case .surface(.templates): return feed.surface == .campaigns
    case .surface(.push), .surface(.person), .surface(.events): return false
    case .surface(.cards), .surface(.inbox): break
    case .container(let container):
      let source = feedState?.source(of: container, at: provider.id).feed
      if let source, feed.surface == source.surface { return feed == source }
    }
    // A provider without items of the surface's kind shows those of the other kind.
    let isNative = !place.surface.isBridged(to: provider.adapter.capabilities)
    let kinds: Set<Surface> = [.cards, .inbox]
    return kinds.contains(feed.surface) && (feed.surface == place.surface.surface) == isNative
  }
}

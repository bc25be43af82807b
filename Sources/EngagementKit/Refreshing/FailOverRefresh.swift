import EngagementAdapterAPI
import EngagementModel

/// One provider that a refresh asks.
struct RefreshAsk: Sendable {
  var provider: Provider
  /// The plans that say which of its feeds are asked for.
  var plans: RoutePlans
  /// The places with a fail-over for which it is asked.
  var places: Set<RoutePlace> = []
  /// Whether its breaker lets only one request through.
  var isProbe = false
}

/// What one provider answered to a refresh.
struct RefreshAnswer: Sendable {
  /// The worst of all its requests.
  var outcome: ProviderOutcome
  /// What counts for a fail-over.
  var report: FailOverState.Report

  init(_ outcomes: [ProviderOutcome], of provider: ProviderID) {
    outcome = ProviderOutcome.worst(of: outcomes) ?? .unsupported
    report = FailOverState.Report(provider: provider, isHeard: outcome.isHeard)
    report.code = outcomes.compactMap(\.error).first(where: \.countsAgainstProvider)?.code
    report.hasNothing =
      !outcomes.isEmpty
      && outcomes.allSatisfy { outcome in
        if case .failed(let error) = outcome { error.countsAgainstProvider } else { false }
      }
  }
}

/// Decides whom a refresh asks: for a place with a fail-over one candidate after the other, until one is
/// ready.
struct FailOverRefresh: Sendable {
  private let failOvers: FailOvers
  private let providers: [Provider]
  private let target: RefreshTarget
  private let plans: RoutePlans
  /// The places of the target that have a fail-over.
  private let places: [RoutePlace]
  private let start: Duration
  private var reports: [RoutePlace: [FailOverState.Report]] = [:]
  private var asked: [RoutePlace: [ProviderID]] = [:]

  /// - Parameter start: When the refresh began, by the steady clock.
  init(
    _ failOvers: FailOvers, _ providers: [Provider], _ target: RefreshTarget, _ plans: RoutePlans,
    since start: Duration
  ) {
    self.failOvers = failOvers
    self.providers = providers
    self.target = target
    self.plans = plans
    self.start = start
    places = target.failOverPlaces(plans)
  }

  /// The first round, with the providers of the places without a fail-over.
  mutating func first() async -> [RefreshAsk] {
    guard !places.isEmpty else {
      return providers.filter { target.concerns($0.id, plans) }
        .map { RefreshAsk(provider: $0, plans: plans) }
    }
    return note(await failOvers.begin(places), alone: false)
  }

  /// The next round; empty after the last.
  mutating func next(after answers: [(RefreshAsk, RefreshAnswer)]) async -> [RefreshAsk] {
    guard !places.isEmpty else { return [] }
    var new: [RoutePlace: [FailOverState.Report]] = [:]
    for (ask, answer) in answers {
      for place in ask.places { new[place, default: []].append(answer.report) }
    }
    // A place whose candidates are all paused has no report, and stays as it is.
    for (place, made) in new { reports[place, default: []] += made }
    return note(await failOvers.settle(reports, new: new, since: start), alone: true)
  }

  /// The shown providers that were not asked, each with the reason.
  func end(_ now: RoutePlans) async -> [ProviderID: EngagementError] {
    guard !places.isEmpty else { return [:] }
    // A request that was cancelled, or never begun, leaves its probe.
    if reports.values.joined().contains(where: { !$0.isHeard }) { await failOvers.end(asked) }
    var unasked: [ProviderID: EngagementError] = [:]
    for place in places {
      for provider in now.plan(at: place)?.shown ?? []
      where asked[place]?.contains(provider) != true {
        unasked[provider] = await failOvers.pause(of: provider, at: place)
      }
    }
    return unasked
  }

  private mutating func note(_ asks: FailOvers.Asks, alone isAlone: Bool) -> [RefreshAsk] {
    for (place, providers) in asks.places { asked[place, default: []] += providers }
    return providers.compactMap { provider in
      let own = Set(asks.places.filter { $0.value.contains(provider.id) }.keys)
      let plans = plans.asking(provider.id, at: own, alone: isAlone)
      guard target.concerns(provider.id, plans) else { return nil }
      return RefreshAsk(
        provider: provider, plans: plans, places: own, isProbe: asks.probes.contains(provider.id))
    }
  }
}

extension RefreshTarget {
  /// Whether the provider is asked for the target, by these plans.
  func concerns(_ provider: ProviderID, _ plans: RoutePlans) -> Bool {
    switch self {
    case .cards(let container?, _): plans.plan(of: container).shows(provider)
    case .cards(nil, _): plans.showsCards(of: provider)
    case .inbox: plans.inbox.shows(provider)
    case .message(let id): id.provider == provider
    case .campaigns: plans.lead(to: provider, for: .templates)
    case .person, .metrics, .settings: true
    }
  }

  /// The places of the target that have a fail-over.
  fileprivate func failOverPlaces(_ plans: RoutePlans) -> [RoutePlace] {
    switch self {
    case .cards(let container?, _):
      let place = plans.place(of: container)
      return plans.failOverPlaces(on: .cards).filter { $0 == place }
    case .cards(nil, _): return plans.failOverPlaces(on: .cards)
    case .inbox: return plans.failOverPlaces(on: .inbox)
    case .message, .person, .metrics, .campaigns, .settings: return []
    }
  }
}

extension RoutePlace {
  /// What fills the place; nil for a surface that is not refreshed as a whole.
  var target: RefreshTarget? {
    switch self {
    case .container(let container): .cards(in: container)
    case .surface(.cards): .cards
    case .surface(.inbox): .inbox
    case .surface(.templates), .surface(.push), .surface(.person), .surface(.events): nil
    }
  }
}

extension EngagementError {
  /// Whether the provider is not ready, by this error. A pause, a missing or refused credential, missing
  /// consent and what fails on this side of the network say nothing about that.
  var countsAgainstProvider: Bool { Self.countedCodes.contains(code) }

  /// An endpoint that is gone, or is another one, refuses the request or does not know it.
  private static let countedCodes: Set<Code> = [
    .unavailable, .deadlineExceeded, .malformedResponse, .internalFailure, .notFound,
    .invalidArgument,
  ]
}

extension Breaker.Finding {
  /// - Parameter wasSent: Whether the provider was asked at all.
  init(_ outcome: ProviderOutcome, wasSent: Bool) {
    if outcome.isHeard {
      self = wasSent ? .answered : .neither
    } else {
      self = outcome.error?.countsAgainstProvider == true ? .failed : .neither
    }
  }
}

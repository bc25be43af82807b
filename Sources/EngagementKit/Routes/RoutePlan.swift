import EngagementModel

/// Who fills a place now, decided from its route. Every part of the kit reads plans and not routes.
struct RoutePlan: Hashable, Sendable {
  /// The providers whose items are shown, or that are told, each once in the order of the route.
  var shown: [ProviderID] = []
  /// Whether the items of the providers are sorted together.
  var isMerged = false
  /// The providers of which one is shown, the preferred one first.
  var candidates: [ProviderID] = []
  /// The providers that are read beside those that are shown.
  var shadows: [ProviderID] = []
  /// The experiment that decided; nil without one.
  var experiment: Arm?

  /// A person's arm in an experiment; no name: outside of it, held out, or not known yet.
  struct Arm: Hashable, Sendable {
    var experiment: String
    var name: String?
  }

  func shows(_ provider: ProviderID) -> Bool { shown.contains(provider) }
}

/// What a plan depends on beside its route.
struct RouteCircumstances: Hashable, Sendable {
  /// Where the current user stands, by the name of the experiment; no entry while that is not known.
  var arms: [String: Engagement.Split.Standing] = [:]
  /// The provider that a route with a fail-over shows at the moment; none: its first.
  var failOver: [RoutePlace: ProviderID] = [:]
}

/// How a route chooses among its providers.
enum RouteStrategy: String, Hashable, Sendable, CaseIterable {
  case only, merge, none, firstReady, mirror, shadow, split
}

extension Engagement.Route {
  /// Who fills the place under these circumstances.
  func plan(at place: RoutePlace, in circumstances: RouteCircumstances) -> RoutePlan {
    switch self {
    case .only(let provider): RoutePlan(shown: [provider])
    case .merge(let providers): RoutePlan(shown: providers.withoutRepetition, isMerged: true)
    case .none: RoutePlan()
    case .firstReady(let providers, _):
      RoutePlan(
        shown: providers.filter { $0 == circumstances.failOver[place] }.first.map { [$0] }
          ?? Array(providers.prefix(1)),
        candidates: providers.withoutRepetition)
    case .mirror(let providers): RoutePlan(shown: providers.withoutRepetition)
    case .shadow(let route, let shadow): route.plan(at: place, in: circumstances).beside(shadow)
    case .split(let split): split.plan(in: circumstances)
    }
  }

  /// What a route consists of, for those who check, write or list it.
  struct Parts: Sendable {
    var strategy: RouteStrategy
    /// The providers that it names itself, as often as it does.
    var named: [ProviderID] = []
    var failOver: FailOver?
    /// The route that is shown beside a shadow.
    var inner: Route?
    var shadow: Shadow?
    var split: Split?

    /// Every provider that is named anywhere, as often as it is.
    var everyone: [ProviderID] {
      var everyone = inner?.parts.everyone ?? []
      everyone += named
      everyone += shadow?.candidates ?? []
      everyone += split?.arms.flatMap(\.providers) ?? []
      return everyone + (split?.otherwise ?? [])
    }
  }

  var parts: Parts {
    switch self {
    case .only(let provider): Parts(strategy: .only, named: [provider])
    case .merge(let providers): Parts(strategy: .merge, named: providers)
    case .none: Parts(strategy: .none)
    case .firstReady(let providers, let failOver):
      Parts(strategy: .firstReady, named: providers, failOver: failOver)
    case .mirror(let providers): Parts(strategy: .mirror, named: providers)
    case .shadow(let route, let shadow):
      Parts(strategy: .shadow, inner: route, shadow: shadow)
    case .split(let split): Parts(strategy: .split, split: split)
    }
  }

  /// The route of persons, events or pushes without other providers than these; nil if none is left.
  func limited(to providers: [ProviderID]) -> Self? {
    var parts = parts
    parts.named.removeAll { !providers.contains($0) }
    parts.split = parts.split?.limited(to: providers)
    return parts.everyone.isEmpty ? nil : Self(parts)
  }

  /// The route that consists of these parts; nil if one is missing.
  init?(_ parts: Parts) {
    switch parts.strategy {
    case .only:
      guard let provider = parts.named.first else { return nil }
      self = .only(provider)
    case .merge: self = .merge(parts.named)
    case .none: self = .none
    case .firstReady: self = .firstReady(parts.named, parts.failOver ?? .standard)
    case .mirror: self = .mirror(parts.named)
    case .shadow:
      guard let inner = parts.inner, let shadow = parts.shadow else { return nil }
      self = .shadow(inner, shadow)
    case .split:
      guard let split = parts.split else { return nil }
      self = .split(split)
    }
  }
}

extension RoutePlan {
  fileprivate func beside(_ shadow: Engagement.Shadow) -> RoutePlan {
    var plan = self
    plan.shadows = shadow.candidates.withoutRepetition
    return plan
  }
}

extension Engagement.Split {
  /// The same experiment without other providers than these.
  fileprivate func limited(to providers: [ProviderID]) -> Self? {
    let arms = arms.map { arm in
      Arm(arm.name, weight: arm.weight, providers: arm.providers.filter(providers.contains))
    }
    return try? Self(
      experiment, version: version, arms: arms, otherwise: otherwise.filter(providers.contains),
      layer: layer, holdOut: holdOut)
  }

  /// The providers of the user's arm. Nothing is shown while it is not known where the user stands.
  fileprivate func plan(in circumstances: RouteCircumstances) -> RoutePlan {
    let standing = circumstances.arms[name]
    var arm: Arm?
    if case .arm(let name)? = standing { arm = arms.first { $0.name == name } }
    let shown = standing == nil ? [] : (arm?.providers ?? otherwise).withoutRepetition
    return RoutePlan(
      shown: shown, isMerged: shown.count > 1,
      experiment: RoutePlan.Arm(experiment: name, name: arm?.name))
  }
}

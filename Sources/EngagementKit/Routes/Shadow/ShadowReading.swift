import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore

/// A place where a candidate is compared: the inbox, or one of the application's containers.
struct ShadowSpot: Hashable, Sendable {
  /// Whose route has the candidate.
  var place: RoutePlace
  /// Nil for the inbox, and for cards where no provider tells containers apart.
  var container: ContainerID?

  var surface: Surface { place.surface.surface }
}

/// One request for a list of a candidate, and where it is compared.
struct ShadowReading: Hashable, Sendable {
  let candidate: ProviderID
  let feed: Feed
  var spots: [ShadowSpot]
  /// The least time between two requests for the list.
  var interval: Duration
  /// By what the items of the candidate and of those that are shown are known as copies. With other keys
  /// the comparison before says nothing, so that it does not count for the interval.
  var keys: [ProviderID: ContentKeySource] = [:]

  /// The name under which the time of the last request is kept.
  var name: String {
    let words = [
      "shadow", candidate.rawValue, feed.surface.rawValue, feed.container?.rawValue ?? "",
    ]
    return words.joined(separator: "\n")
  }

  /// Whether the list may be asked for at this uptime, and what is kept of that; nil for what is kept
  /// already.
  ///
  /// Kept is when it was asked for, and when it was last due or not, a few minutes late. If the latter is
  /// still to come, the machine was started again.
  func claim(after kept: JSON?, at now: Duration) -> (isDue: Bool, kept: JSON?) {
    let asked = (kept?["asked"]?.integer).map { Duration.milliseconds($0) }
    let seen = (kept?["seen"]?.integer).map { Duration.milliseconds($0) }
    func json(_ asked: Duration) -> JSON {
      var object: JSONObject = [
        "asked": .integer(asked.milliseconds), "seen": .integer(now.milliseconds),
      ]
      object["keys"] = spelledKeys.map(JSON.string)
      return .object(object)
    }
    guard kept?["keys"]?.string == spelledKeys else { return (true, json(now)) }
    guard let asked, let seen, asked <= seen, seen <= now, now - asked < interval else {
      return (true, json(now))
    }
    return (false, now - seen >= Self.granularity ? json(asked) : nil)
  }

  private static let granularity = Duration.seconds(300)

  /// The changes that forget when lists of the surface were asked for at the candidate: `every` of one
  /// shadow says nothing of another.
  static func forgetting(
    _ surface: Surface, of candidate: ProviderID, in memory: ProviderMemory
  ) -> [Change] {
    let beginning = ["shadow", candidate.rawValue, surface.rawValue, ""].joined(separator: "\n")
    return memory.values.all(.installation).map(\.key)
      .filter { $0.utf8.starts(with: beginning.utf8) }
      .map { KitState.change(.installation, $0, nil) }
  }

  /// The keys as one text; nil without any.
  private var spelledKeys: String? {
    guard !keys.isEmpty else { return nil }
    let members = keys.sorted { $0.key < $1.key }.map {
      JSONObject.Member($0.key.rawValue, $0.value.json)
    }
    let json = JSON.object(JSONObject(uniqueMembers: members))
    return String(decoding: json.encoded(), as: UTF8.self)
  }
}

extension Route {
  /// The route that is shown: that beside a shadow, or this one.
  var shownBesideShadow: Route { parts.inner ?? self }
}

/// Which lists of candidates are compared after a refresh.
struct ShadowTargets: Sendable {
  let plans: RoutePlans
  let containers: ContainerMap
  let capabilities: [ProviderID: AdapterCapabilities]
  /// The feeds that the cache has.
  let known: [FeedKey]
  /// By what the items of each provider are known as copies.
  let contentKeys: [ProviderID: ContentKeySource]

  /// The readings after a refresh that these providers have answered.
  ///
  /// A place is left out if a provider that it shows has not answered: what it shows may be old.
  func readings(after target: RefreshTarget, answeredBy heard: Set<ProviderID>) -> [ShadowReading] {
    var readings: [ShadowReading] = []
    for spot in spots(of: target) {
      guard let plan = plans.plan(at: spot.place), heard.isSuperset(of: plan.shown),
        let shadow = plans.routes.route(at: spot.place)?.parts.shadow
      else { continue }
      for candidate in plan.shadows {
        guard let feed = feed(of: spot, at: candidate) else { continue }
        let keyed = plan.shown + [candidate]
        let reading = ShadowReading(
          candidate: candidate, feed: feed, spots: [spot], interval: shadow.interval,
          keys: contentKeys.filter { keyed.contains($0.key) })
        if let index = readings.firstIndex(where: { $0.name == reading.name }) {
          if !readings[index].spots.contains(spot) { readings[index].spots.append(spot) }
          readings[index].interval = min(readings[index].interval, shadow.interval)
          readings[index].keys.merge(reading.keys) { first, _ in first }
        } else {
          readings.append(reading)
        }
      }
    }
    return readings
  }

  /// Where the candidate's cards of a spot are; nil for the inbox.
  func source(of spot: ShadowSpot, at provider: ProviderID) -> ContainerMap.Source? {
    guard spot.surface == .cards else { return nil }
    return containers.source(
      of: spot.container ?? Self.anyContainer, at: provider, hasContainers: hasContainers(provider))
  }

  /// The name of a container where none is told from another.
  static let anyContainer = ContainerID("")

  private func hasContainers(_ provider: ProviderID) -> Bool {
    capabilities[provider]?.hasContainers ?? false
  }

  /// The candidate's list; nil if the application has named no container of it.
  private func feed(of spot: ShadowSpot, at candidate: ProviderID) -> Feed? {
    guard let source = source(of: spot, at: candidate) else { return .inbox }
    return spot.container == nil && hasContainers(candidate) ? nil : source.feed
  }

  private func spots(of target: RefreshTarget) -> [ShadowSpot] {
    switch target {
    case .inbox: [ShadowSpot(place: .surface(.inbox))]
    case .cards(let container?, let filters): filters.isEmpty ? [spot(of: container)] : []
    case .cards(nil, let filters): filters.isEmpty ? named.map(spot) + unnamed : []
    case .message, .person, .metrics, .campaigns, .settings: []
    }
  }

  private func spot(of container: ContainerID) -> ShadowSpot {
    let place = plans.place(of: container)
    guard place == .surface(.cards), let plan = plans.plan(at: place) else {
      return ShadowSpot(place: place, container: container)
    }
    let isTold = (plan.shown + plan.shadows).contains { provider in
      hasContainers(provider) || containers.places[container]?[provider] != nil
    }
    return ShadowSpot(place: place, container: isTold ? container : nil)
  }

  /// The containers that have a name.
  private var named: [ContainerID] {
    var names = Set(containers.places.keys).union(plans.routes.containers.keys)
    if containers.places.isEmpty {
      // Without a map a container has one name everywhere.
      names.formUnion(known.filter { $0.feed.surface == .cards }.compactMap(\.feed.container))
    }
    return names.sorted()
  }

  private var unnamed: [ShadowSpot] {
    named.isEmpty ? [ShadowSpot(place: .surface(.cards))] : []
  }
}

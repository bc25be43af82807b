import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The routes, containers and adapters that turn a cache into feeds.
///
/// Each call reads one consistent state of the cache.
struct FeedQuery: Sendable {
  private let providers: [Provider]
  private let routes: Routes
  private let containers: ContainerMap
  let contentKeys: [ProviderID: ContentKeySource]
  let environment: String
  let adapters: [ProviderID: any EngagementAdapter]

  /// Throws `invalidConfiguration` with the name of the wrong field.
  init(
    cache: Cache, providers: [Provider], routes: Routes, containers: ContainerMap,
    contentKeys: ContentKeys = [:], environment: String = "production"
  ) throws(EngagementError) {
    try Configuration(
      cache: cache, device: nil, providers: providers, routes: routes, containers: containers,
      contentKeys: contentKeys, options: Options(environment: environment)
    ).check()
    self.providers = providers
    self.routes = routes
    self.containers = containers
    self.contentKeys = contentKeys.sources
    self.environment = environment
    adapters = Dictionary(providers.map { ($0.id, $0.adapter) }) { first, _ in first }
  }

  /// The cards that a container shows to the user; nil for the current user.
  func cards(
    in container: ContainerID, of user: User? = nil, options: CardOptions, at now: Date,
    from reader: inout StoreReader
  ) throws(EngagementError) -> CardFeed {
    var feedState = try feedState(of: user, at: now, from: &reader) { key, view in
      view.shows(key, in: container, under: options.filters)
    }
    return feedState.snapshot(in: container, at: now).0.feed(with: options)
  }

  /// The user's partition; throws `notFound` if the cache does not know the user.
  func partition(
    of user: User?, from reader: inout StoreReader
  ) throws(EngagementError) -> Partition {
    try reader.partition(of: user, by: environment)
  }

  /// The user's state of the wanted feeds.
  func feedState(
    of user: User?, at now: Date, from reader: inout StoreReader,
    wanting isWanted: (FeedKey, FeedState) -> Bool
  ) throws(EngagementError) -> FeedState {
    try reader.atOnce { (reader) throws(EngagementError) in
      let partition = try reader.partition(of: user, by: environment)
      var feedState = try feedState(of: partition, from: &reader)
      var wanted: Set<FeedKey> = []
      for key in try reader.feeds(of: partition) where isWanted(key, feedState) {
        wanted.insert(key)
      }
      _ = feedState.take(try reader.load(wanted, of: partition, at: now), at: now)
      return feedState
    }
  }

  /// An empty state with the routes that hold now.
  private func feedState(
    of partition: Partition, from reader: inout StoreReader
  ) throws(EngagementError) -> FeedState {
    let memory = try reader.memory(of: KitState.owner, in: partition)
    let kept = keptRoutes(by: memory)
    let splits = kept.routes.splits
    let choice = ArmChoice(
      splits,
      for: partition.user.id?.rawValue
        ?? memory.json(.installation, ExperimentArms.installation)?.string)
    let known = splits.isEmpty ? [] : try reader.assignments(of: partition)
    let circumstances = RouteCircumstances(
      arms: choice.standings(among: known), failOver: kept.failOver)
    return FeedState(
      UserSession(partition: partition, generation: 1),
      plans: RoutePlans(kept.routes, in: circumstances),
      containers: containers, capabilities: adapters.mapValues(\.capabilities),
      keyed: Set(contentKeys.keys))
  }

  private func keptRoutes(by memory: ProviderMemory) -> RouteStore.Kept {
    let rules = RouteRules(providers: providers, containers: containers)
    return RouteStore(configured: routes, rules: rules).read(memory)
  }

  /// The routes that hold by stored values.
  func routes(by memory: ProviderMemory) -> Routes { keptRoutes(by: memory).routes }
}

extension StoreReader {
  /// Throws `notFound` for a user who has never signed in, instead of making a partition.
  fileprivate mutating func partition(
    of user: User?, by environment: String
  ) throws(EngagementError) -> Partition {
    let wanted = if let user { user } else { try presentUser(in: environment) }
    guard let partition = try partition(of: wanted, in: environment) else {
      throw EngagementError(.notFound, "The cache does not know the user.")
    }
    return partition
  }
}

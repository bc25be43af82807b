import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The routes, containers and adapters that turn a cache into feeds.
///
/// Each call sees the cache as one commit left it.
struct FeedQuery: Sendable {
  private let providers: [Provider]
  private let routes: Routes
  private let containers: ContainerMap
  let environment: String
  let adapters: [ProviderID: any EngagementAdapter]

  /// Throws `invalidConfiguration` naming the field that is wrong.
  init(
    cache: Cache, providers: [Provider], routes: Routes, containers: ContainerMap,
    environment: String = "production"
  ) throws(EngagementError) {
    try Configuration(
      cache: cache, device: nil, providers: providers, routes: routes, containers: containers,
      options: Options(environment: environment)
    ).check()
    self.providers = providers
    self.routes = routes
    self.containers = containers
    self.environment = environment
    adapters = Dictionary(providers.map { ($0.id, $0.adapter) }) { first, _ in first }
  }

  /// The cards of a container as the user sees them now; nil for the present user.
  func cards(
    in container: ContainerID, of user: User? = nil, options: CardOptions, at now: Date,
    from reader: inout StoreReader
  ) throws(EngagementError) -> CardFeed {
    var feedState = try feedState(of: user, at: now, from: &reader) { key, view in
      view.shows(key, in: container, under: options.filters)
    }
    return feedState.snapshot(in: container, at: now).0.feed(with: options)
  }

  /// The rows of the user; `notFound` where the cache does not know the user.
  func partition(
    of user: User?, from reader: inout StoreReader
  ) throws(EngagementError) -> Partition {
    try reader.partition(of: user, by: environment)
  }

  /// What is shown to the user, of the feeds that are wanted.
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

  /// An exhibition with nothing in it yet, by the routes that hold now.
  private func feedState(
    of partition: Partition, from reader: inout StoreReader
  ) throws(EngagementError) -> FeedState {
    var routes = routes
    let memory = try reader.memory(of: KitState.owner, in: partition)
    let kept = RouteStore(among: providers, Log(loggers: [])).routes(in: memory)
    for (surface, route) in kept { routes[surface] = route }
    return FeedState(
      UserSession(partition: partition, generation: 1), routes: routes, containers: containers,
      capabilities: adapters.mapValues(\.capabilities))
  }
}

extension StoreReader {
  /// Makes no partition: throws `notFound` for a user who has never signed in.
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

package import EngagementAdapterAPI
package import EngagementModel
package import EngagementStore
package import FoundationEssentials

/// What decides what is seen of a cache, as its application has it; whoever has a reader may look.
///
/// Each look sees the cache as one commit left it.
package struct Viewpoint: Sendable {
  private let providers: [Provider]
  private let routes: Routes
  private let containers: ContainerMap
  let environment: String
  package let adapters: [ProviderID: any EngagementAdapter]

  /// Throws `invalidConfiguration` naming the field that is wrong.
  package init(
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

  /// The cards of a container as the user sees them now; nil for whoever uses the application.
  package func cards(
    in container: ContainerID, of user: User? = nil, options: CardOptions, at now: Date,
    from reader: inout StoreReader
  ) throws(EngagementError) -> CardFeed {
    var exhibition = try exhibition(of: user, at: now, from: &reader) { key, view in
      view.shows(key, in: container, under: options.filters)
    }
    return exhibition.exhibit(in: container, at: now).0.feed(with: options)
  }

  /// What is shown to the user, of the feeds that are wanted.
  func exhibition(
    of user: User?, at now: Date, from reader: inout StoreReader,
    wanting isWanted: (FeedKey, Exhibition) -> Bool
  ) throws(EngagementError) -> Exhibition {
    try reader.atOnce { (reader) throws(EngagementError) in
      let partition = try reader.partition(of: user, by: environment)
      var exhibition = try exhibition(of: partition, from: &reader)
      var answers: [FeedAnswer] = []
      var inboxes: Set<ProviderID> = []
      for key in try reader.feeds(of: partition) where isWanted(key, exhibition) {
        // A provider's messages are asked for as a whole, however many lists they are in.
        guard key.feed.surface != .inbox || inboxes.insert(key.provider).inserted else { continue }
        answers.append(try reader.answer(about: key, of: partition, at: now))
      }
      _ = exhibition.take(answers, at: now)
      return exhibition
    }
  }

  /// An exhibition with nothing in it yet, by the routes that hold now.
  private func exhibition(
    of partition: Partition, from reader: inout StoreReader
  ) throws(EngagementError) -> Exhibition {
    var routes = routes
    let memory = try reader.memory(of: HouseMemory.owner, in: partition)
    let kept = KeptRoutes(among: providers, Log(loggers: [])).routes(in: memory)
    for (surface, route) in kept { routes[surface] = route }
    return Exhibition(
      Occupant(partition: partition, generation: 1), routes: routes, containers: containers,
      capabilities: adapters.mapValues(\.capabilities))
  }
}

extension StoreReader {
  /// Nobody's partition is made here: `notFound` where the user was never there.
  fileprivate mutating func partition(
    of user: User?, by environment: String
  ) throws(EngagementError) -> Partition {
    let wanted = if let user { user } else { try presentUser(in: environment) }
    guard let partition = try partition(of: wanted, in: environment) else {
      throw EngagementError(.notFound, "The cache does not know the user.")
    }
    return partition
  }

  fileprivate mutating func answer(
    about key: FeedKey, of partition: Partition, at now: Date
  ) throws(EngagementError) -> FeedAnswer {
    if key.feed.surface == .inbox {
      let view = try messages(of: key.provider, in: partition, at: now)
      return .messages(key.provider, view, number: 0)
    }
    let view = try cards(in: key, of: partition, at: now)
    return .cards(key, view, number: 0)
  }
}

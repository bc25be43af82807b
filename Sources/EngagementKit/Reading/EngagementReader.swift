import EngagementAdapterAPI
public import EngagementModel
import EngagementStore
import FoundationEssentials

/// Shows what is in the cache of an `Engagement` to another process, such as a widget or a
/// notification extension.
///
/// Any number of processes may read at once, beside the one that writes and while it does. Nothing
/// is written, no vendor is asked, and nobody is kept waiting. What is seen follows the same routes
/// and rules as in the application, and each call sees the cache as one commit left it.
///
/// Calls throw `notFound` where the cache or the user is not there, `newerSchema` and `unavailable`
/// for one that another version of the library wrote, `unreadable` for what cannot be read or is
/// not ours, and `storage` for one that is damaged: the application repairs it when it opens it.
public final class EngagementReader: Sendable {
  private let shared: SharedReader
  private let setting: Setting
  private let clock: any EngagementClock

  /// What decides what is seen, as the application has it.
  fileprivate struct Setting: Sendable {
    let providers: [Provider]
    let routes: Routes
    let containers: ContainerMap
    let environment: String
  }

  private init(_ shared: SharedReader, _ setting: Setting, _ clock: any EngagementClock) {
    self.shared = shared
    self.setting = setting
    self.clock = clock
  }

  /// Opens the cache of an application for reading; it is not made where there is none.
  ///
  /// Name the same providers, routes, containers and environment as the application. Throws
  /// `invalidConfiguration` naming the field that is wrong, and `notFound` without a cache.
  public static func open(
    cache: Cache, providers: [Provider], routes: Routes, containers: ContainerMap = [:],
    environment: String = "production", clock: any EngagementClock = SystemClock()
  ) async throws(EngagementError) -> EngagementReader {
    guard case .file(let path) = cache else {
      throw EngagementError(
        .invalidConfiguration, "cache is temporary, which no other process can know; use a file.")
    }
    try Configuration(
      cache: cache, device: nil, providers: providers, routes: routes, containers: containers,
      options: Options(environment: environment)
    ).check()
    let adapters = providers.map { ($0.id, $0.adapter) }
    let shared = try await SharedReader.open(
      path: path, adapters: Dictionary(adapters) { first, _ in first })
    return EngagementReader(
      shared,
      Setting(
        providers: providers, routes: routes, containers: containers, environment: environment),
      clock)
  }

  // MARK: Who

  /// Who uses the application, or used it last.
  public var user: User {
    get async throws(EngagementError) {
      let environment = setting.environment
      return try await shared.atOnce { (reader) throws(EngagementError) in
        try reader.presentUser(in: environment)
      }
    }
  }

  // MARK: What

  /// The cards of a container as the user sees them now; nil for whoever uses the application.
  public func cards(
    in container: ContainerID, of user: User? = nil, options: CardOptions = .standard
  ) async throws(EngagementError) -> CardFeed {
    var exhibition = try await exhibition(of: user) { key, view in
      view.shows(key, in: container, under: options.filters)
    }
    return exhibition.exhibit(in: container, at: clock.now).0.feed(with: options)
  }

  /// How many cards a container has now.
  public func cardCount(
    in container: ContainerID, of user: User? = nil
  ) async throws(EngagementError) -> CardCount {
    try await cards(in: container, of: user).count
  }

  /// The messages of the inbox as the user sees them now.
  public func inbox(of user: User? = nil) async throws(EngagementError) -> InboxFeed {
    var exhibition = try await exhibition(of: user) { key, view in
      key.feed.surface == .inbox && view.routes.inbox.providers.contains(key.provider)
    }
    return exhibition.inbox(at: clock.now).0.feed
  }

  /// The card as it is seen now, a control card too; nil where the user has none of that id.
  public func card(
    _ id: ItemID, of user: User? = nil
  ) async throws(EngagementError) -> Card? {
    try await exhibition(of: user) { key, _ in
      key.provider == id.provider && key.feed.surface == .cards
    }.card(id, at: clock.now)
  }

  /// The message as it is seen now; nil where the user has none of that id.
  public func message(
    _ id: ItemID, of user: User? = nil
  ) async throws(EngagementError) -> InboxMessage? {
    try await exhibition(of: user) { key, _ in
      key.provider == id.provider && key.feed.surface == .inbox
    }.message(id, at: clock.now)
  }

  // MARK: Reading

  /// What is shown to the user, of the feeds that are wanted.
  private func exhibition(
    of user: User?, wanting isWanted: @escaping @Sendable (FeedKey, Exhibition) -> Bool
  ) async throws(EngagementError) -> Exhibition {
    let (setting, now) = (setting, clock.now)
    return try await shared.atOnce { (reader) throws(EngagementError) in
      let partition = try reader.partition(of: user, by: setting.environment)
      var exhibition = try setting.exhibition(of: partition, from: &reader)
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
}

extension EngagementReader.Setting {
  /// An exhibition with nothing in it yet, by the routes that hold now.
  fileprivate func exhibition(
    of partition: Partition, from reader: inout StoreReader
  ) throws(EngagementError) -> Exhibition {
    var routes = routes
    let memory = try reader.memory(of: HouseMemory.owner, in: partition)
    let kept = KeptRoutes(among: providers, Log(loggers: [])).routes(in: memory)
    for (surface, route) in kept { routes[surface] = route }
    let capabilities = providers.map { ($0.id, $0.adapter.capabilities) }
    return Exhibition(
      Occupant(partition: partition, generation: 1), routes: routes, containers: containers,
      capabilities: Dictionary(capabilities) { first, _ in first })
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

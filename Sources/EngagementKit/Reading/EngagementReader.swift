import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

/// Shows what is in the cache of an `Engagement` to another process, such as a widget or a
/// notification extension.
///
/// Any number of processes may read at once, beside the one that writes and while it does. Reading
/// writes nothing, asks no vendor and makes no other process wait. It follows the same routes and
/// rules as the application, and each call sees the cache as one commit left it.
///
/// Calls throw `notFound` where the cache or the user is not there, `newerSchema` and `unavailable`
/// for one that another version of the library wrote, `unreadable` for what cannot be read or is
/// not ours, and `storage` for one that is damaged: the application repairs it when it opens it.
///
/// Calls read from the disk and return what they read; they wait for no other process. Calls from
/// several threads take turns.
public final class EngagementReader: Sendable {
  private let reader: Locked<OpenReader>
  private let query: FeedQuery
  private let clock: any EngagementClock

  /// The one connection; the holder of the lock uses it.
  private final class OpenReader {
    var reader: StoreReader

    init(_ reader: consuming StoreReader) { self.reader = reader }
  }

  private init(
    _ reader: consuming sending StoreReader, _ query: FeedQuery, _ clock: any EngagementClock
  ) {
    self.reader = Locked(OpenReader(reader))
    self.query = query
    self.clock = clock
  }

  /// Opens the cache of an application for reading; it is not made where there is none.
  ///
  /// Name the same providers, routes, containers and environment as the application. Throws
  /// `invalidConfiguration` naming the field that is wrong, and `notFound` without a cache.
  public static func open(
    cache: Engagement.Cache, providers: Engagement.Providers, routes: Engagement.Routes,
    containers: Engagement.ContainerMap = [:], environment: String = "production",
    clock: any EngagementClock = Engagement.SystemClock()
  ) throws(EngagementError) -> EngagementReader {
    guard case .file(let path) = cache else {
      throw EngagementError(
        .invalidConfiguration, "cache is temporary, which no other process can know; use a file.")
    }
    let query = try FeedQuery(
      cache: cache, providers: providers.list, routes: routes, containers: containers,
      environment: environment)
    return EngagementReader(
      try StoreReader(path: path, adapters: query.adapters), query, clock)
  }

  // MARK: Users

  /// Who uses the application, or used it last.
  public var user: User {
    get throws(EngagementError) {
      let environment = query.environment
      return try read { (reader) throws(EngagementError) in
        try reader.presentUser(in: environment)
      }
    }
  }

  /// Whether the user was ever signed in here and was not erased.
  public func knows(_ user: User) throws(EngagementError) -> Bool {
    let environment = query.environment
    return try read { (reader) throws(EngagementError) in
      try reader.partition(of: user, in: environment) != nil
    }
  }

  // MARK: Items

  /// The cards of a container as the user sees them now; nil for the present user.
  public func cards(
    in container: ContainerID, of user: User? = nil, options: Engagement.CardOptions = .standard
  ) throws(EngagementError) -> Engagement.CardFeed {
    let (query, now) = (query, clock.now)
    return try read { (reader) throws(EngagementError) in
      try query.cards(in: container, of: user, options: options, at: now, from: &reader)
    }
  }

  /// How many cards a container has now.
  public func cardCount(
    in container: ContainerID, of user: User? = nil
  ) throws(EngagementError) -> Engagement.CardCount {
    try cards(in: container, of: user).count
  }

  /// The messages of the inbox as the user sees them now.
  public func inbox(of user: User? = nil) throws(EngagementError) -> Engagement.InboxFeed {
    var feedState = try feedState(of: user) { key, view in
      key.feed.surface == .inbox && view.routes.inbox.providers.contains(key.provider)
    }
    return feedState.inbox(at: clock.now).0.feed
  }

  /// The card as it is seen now, a control card too; nil where the user has none of that id.
  public func card(_ id: ItemID, of user: User? = nil) throws(EngagementError) -> Card? {
    try feedState(of: user) { key, _ in
      key.provider == id.provider && key.feed.surface == .cards
    }.card(id, at: clock.now)
  }

  /// The message as it is seen now; nil where the user has none of that id.
  public func message(
    _ id: ItemID, of user: User? = nil
  ) throws(EngagementError) -> InboxMessage? {
    try feedState(of: user) { key, _ in
      key.provider == id.provider && key.feed.surface == .inbox
    }.message(id, at: clock.now)
  }

  // MARK: Events and delivery

  /// The user's events that the ledger recorded after a sequence, the oldest first.
  ///
  /// To go on, pass the `sequence` of the last event; fewer than `limit` events are all that there
  /// are now.
  public func events(
    after sequence: Int64 = 0, limit: Int = 1_000, of user: User? = nil
  ) throws(EngagementError) -> [EngagementEvent] {
    let query = query
    return try read { (reader) throws(EngagementError) in
      let partition = try query.partition(of: user, from: &reader)
      return try reader.entries(after: sequence, limit: limit, in: partition).map(\.event)
    }
  }

  /// What became of all accepted actions, of every user, for each provider.
  public func deliveryCounts() throws(EngagementError) -> [ProviderID: Engagement.DeliveryCounts] {
    try read { (reader) throws(EngagementError) in
      try reader.deliveryCounts().mapValues(Engagement.DeliveryCounts.init)
    }
  }

  // MARK: Reading

  /// Everything that the body reads is as one commit left it.
  private func read<Value: Sendable>(
    _ body: (inout StoreReader) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try reader.withLock { (open) throws(EngagementError) in try open.reader.atOnce(body) }
  }

  /// What is shown to the user, of the feeds that are wanted.
  private func feedState(
    of user: User?, wanting isWanted: (FeedKey, FeedState) -> Bool
  ) throws(EngagementError) -> FeedState {
    let (query, now) = (query, clock.now)
    return try read { (reader) throws(EngagementError) in
      try query.feedState(of: user, at: now, from: &reader, wanting: isWanted)
    }
  }
}

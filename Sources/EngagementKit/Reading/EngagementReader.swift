import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

/// Reads the cache of an `Engagement` from another process, such as a widget or a notification
/// extension.
///
/// Any number of processes may read at once, also while the application writes. A reader writes
/// nothing, asks no vendor and makes no other process wait. It uses the routes and rules of the
/// application. Each call reads one consistent state of the cache.
///
/// A call throws `notFound` if there is no cache or no such user, `newerSchema` or `unavailable` if
/// another version of the library wrote the cache, `unreadable` if the file cannot be read or is no
/// cache, and `storage` if the cache is damaged. The application repairs a damaged cache when it
/// opens it.
///
/// Calls read from the disk synchronously and do not wait for other processes. Calls from several
/// threads take turns.
public final class EngagementReader: Sendable {
  private let reader: Locked<OpenReader>
  let query: FeedQuery
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

  /// Opens the cache of an application for reading. A missing cache is not created.
  ///
  /// Pass the same providers, routes, containers, content keys and environment as the application. Throws
  /// `invalidConfiguration` with the name of the wrong field, and `notFound` if there is no cache.
  public static func open(
    cache: Engagement.Cache, providers: Engagement.Providers, routes: Engagement.Routes,
    containers: Engagement.ContainerMap = [:], contentKeys: Engagement.ContentKeys = [:],
    environment: String = "production",
    clock: any EngagementClock = Engagement.SystemClock()
  ) throws(EngagementError) -> EngagementReader {
    guard case .file(let path) = cache else {
      throw EngagementError(
        .invalidConfiguration, "cache is temporary, which no other process can know; use a file.")
    }
    let query = try FeedQuery(
      cache: cache, providers: providers.list, routes: routes, containers: containers,
      contentKeys: contentKeys, environment: environment)
    let reader = try StoreReader(
      path: path, adapters: query.adapters, contentKeys: query.contentKeys)
    return EngagementReader(reader, query, clock)
  }

  // MARK: Users

  /// The current user of the application, or the last one.
  public var user: User {
    get throws(EngagementError) {
      let environment = query.environment
      return try read { (reader) throws(EngagementError) in
        try reader.presentUser(in: environment)
      }
    }
  }

  /// Whether the last user has signed out or was erased. False before the first sign-in, and while
  /// a user is signed in.
  public var hasSignedOut: Bool {
    get throws(EngagementError) {
      let environment = query.environment
      return try read { (reader) throws(EngagementError) in
        try reader.hasSignedOut(in: environment)
      }
    }
  }

  /// Whether the user has signed in before and was not erased.
  public func knows(_ user: User) throws(EngagementError) -> Bool {
    let environment = query.environment
    return try read { (reader) throws(EngagementError) in
      try reader.partition(of: user, in: environment) != nil
    }
  }

  // MARK: Items

  /// The cards that a container shows to the user; nil for the current user.
  public func cards(
    in container: ContainerID, of user: User? = nil, options: Engagement.CardOptions = .standard
  ) throws(EngagementError) -> Engagement.CardFeed {
    let (query, now) = (query, clock.now)
    return try read { (reader) throws(EngagementError) in
      try query.cards(in: container, of: user, options: options, at: now, from: &reader)
    }
  }

  /// How many cards a container shows to the user; nil for the current user.
  public func cardCount(
    in container: ContainerID, of user: User? = nil
  ) throws(EngagementError) -> Engagement.CardCount {
    try cards(in: container, of: user).count
  }

  /// The messages that the inbox shows to the user; nil for the current user.
  public func inbox(of user: User? = nil) throws(EngagementError) -> Engagement.InboxFeed {
    var feedState = try feedState(of: user) { key, view in view.showsInInbox(key) }
    return feedState.inbox(at: clock.now).0.feed
  }

  /// The user's card with this id, also a control card; nil if there is none.
  public func card(_ id: ItemID, of user: User? = nil) throws(EngagementError) -> Card? {
    try feedState(of: user) { key, view in
      key.provider == id.provider && view.fills(.cards, key)
    }.card(id, at: clock.now)
  }

  /// The user's message with this id; nil if there is none.
  public func message(
    _ id: ItemID, of user: User? = nil
  ) throws(EngagementError) -> InboxMessage? {
    try feedState(of: user) { key, view in
      key.provider == id.provider && view.fills(.inbox, key)
    }.message(id, at: clock.now)
  }

  // MARK: Events and delivery

  /// The user's events that the ledger recorded after a sequence, the oldest first.
  ///
  /// For the next events, pass the `sequence` of the last one. If there are fewer than `limit`,
  /// there are no more now.
  public func events(
    after sequence: Int64 = 0, limit: Int = 1_000, of user: User? = nil
  ) throws(EngagementError) -> [EngagementEvent] {
    let query = query
    return try read { (reader) throws(EngagementError) in
      let partition = try query.partition(of: user, from: &reader)
      return try reader.entries(after: sequence, limit: limit, in: partition).map(\.event)
    }
  }

  /// The sequence of the last event in the ledger, of any user; 0 if there is none. Pass it to
  /// `events(after:)` to read only what is recorded from now on.
  public var newestSequence: Int64 {
    get throws(EngagementError) {
      try read { (reader) throws(EngagementError) in try reader.newestSequence() }
    }
  }

  /// The sequence of the first event that is still in the ledger, of any user; 0 if there is none.
  public var oldestSequence: Int64 {
    get throws(EngagementError) {
      try read { (reader) throws(EngagementError) in try reader.ledgerState().first }
    }
  }

  /// How the accepted actions of all users have ended, for each provider.
  public func deliveryCounts() throws(EngagementError) -> [ProviderID: Engagement.DeliveryCounts] {
    try read { (reader) throws(EngagementError) in
      try reader.deliveryCounts().mapValues(Engagement.DeliveryCounts.init)
    }
  }

  /// How many events `Options.ledgerRetention` has removed from the ledger.
  public func evictedEvents() throws(EngagementError) -> EvictedEvents {
    try read { (reader) throws(EngagementError) in try reader.evictedEvents() }
  }

  // MARK: Reading

  /// Runs the body in one read transaction.
  func read<Value: Sendable>(
    _ body: (inout StoreReader) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try reader.withLock { (open) throws(EngagementError) in try open.reader.atOnce(body) }
  }

  /// The user's state of the wanted feeds.
  private func feedState(
    of user: User?, wanting isWanted: (FeedKey, FeedState) -> Bool
  ) throws(EngagementError) -> FeedState {
    let (query, now) = (query, clock.now)
    return try read { (reader) throws(EngagementError) in
      try query.feedState(of: user, at: now, from: &reader, wanting: isWanted)
    }
  }
}

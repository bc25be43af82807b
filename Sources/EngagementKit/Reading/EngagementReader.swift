import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

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
  private let viewpoint: Viewpoint
  private let clock: any EngagementClock

  private init(_ shared: SharedReader, _ viewpoint: Viewpoint, _ clock: any EngagementClock) {
    self.shared = shared
    self.viewpoint = viewpoint
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
    let viewpoint = try Viewpoint(
      cache: cache, providers: providers, routes: routes, containers: containers,
      environment: environment)
    let shared = try await SharedReader.open(path: path, adapters: viewpoint.adapters)
    return EngagementReader(shared, viewpoint, clock)
  }

  // MARK: Who

  /// Who uses the application, or used it last.
  public var user: User {
    get async throws(EngagementError) {
      let environment = viewpoint.environment
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
    let (viewpoint, now) = (viewpoint, clock.now)
    return try await shared.atOnce { (reader) throws(EngagementError) in
      try viewpoint.cards(in: container, of: user, options: options, at: now, from: &reader)
    }
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
    let (viewpoint, now) = (viewpoint, clock.now)
    return try await shared.atOnce { (reader) throws(EngagementError) in
      try viewpoint.exhibition(of: user, at: now, from: &reader, wanting: isWanted)
    }
  }
}

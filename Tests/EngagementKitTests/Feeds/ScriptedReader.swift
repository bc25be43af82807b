import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation

@testable import EngagementKit

/// A cache of feeds that a test fills and can delay.
final class ScriptedReader: FeedSource {
  private struct State {
    var cards: [Partition.ID: [FeedKey: FeedView<Card>]] = [:]
    var messages: [Partition.ID: [ProviderID: FeedView<InboxMessage>]] = [:]
    var routes: [RoutePlace: Route] = [:]
    var failure: EngagementError?
    var questions = 0
  }

  private let state = Locked(State())
  private let pause: @Sendable () async -> Void

  /// - Parameter pause: Runs twice in each read: before and after the look-up of the answer.
  init(_ pause: @escaping @Sendable () async -> Void = {}) { self.pause = pause }

  var questions: Int { state.withLock { $0.questions } }

  func set(_ view: FeedView<Card>, _ key: FeedKey, of partition: Partition) {
    state.withLock { $0.cards[partition.id, default: [:]][key] = view }
  }

  func set(_ view: FeedView<InboxMessage>, _ provider: ProviderID, of partition: Partition) {
    state.withLock { $0.messages[partition.id, default: [:]][provider] = view }
  }

  func set(_ route: Route, at place: RoutePlace) {
    state.withLock { $0.routes[place] = route }
  }

  func fail(_ failure: EngagementError?) { state.withLock { $0.failure = failure } }

  func feeds(of partition: Partition) async throws(EngagementError) -> [FeedKey] {
    try await answer { state in
      Array((state.cards[partition.id] ?? [:]).keys)
        + (state.messages[partition.id] ?? [:]).keys.map { FeedKey($0, .inbox) }
    }
  }

  func load(
    _ keys: Set<FeedKey>, of partition: Partition, at now: Date
  ) async throws(EngagementError) -> LoadedFeeds {
    try await answer { state in
      var loaded = LoadedFeeds(number: Int64(state.questions))
      for key in keys {
        if key.feed.surface == .inbox {
          loaded.messages[key.provider] =
            (state.messages[partition.id]?[key.provider]
            ?? FeedView()).without { $0.hasEnded(at: now) }
        } else {
          loaded.cards[key] = (state.cards[partition.id]?[key] ?? FeedView())
            .without { $0.hasEnded(at: now) }
        }
      }
      return loaded
    }
  }

  func memory(
    of provider: ProviderID, in partition: Partition
  ) async throws(EngagementError) -> ProviderMemory {
    try await answer { _ in ProviderMemory() }
  }

  /// The stored routes.
  var keptRoutes: [RoutePlace: Route] { state.withLock { $0.routes } }

  private func answer<Value: Sendable>(
    _ value: (State) -> Value
  ) async throws(EngagementError) -> Value {
    await pause()
    let (answer, failure) = state.withLock { state in
      state.questions += 1
      return (value(state), state.failure)
    }
    await pause()
    if let failure { throw failure }
    return answer
  }
}

extension FeedView where Item: Expiring {
  /// The feed without ended items.
  fileprivate func without(_ hasEnded: (Item) -> Bool) -> FeedView {
    var view = with(items.filter { !hasEnded($0) })
    view.validUntil = view.items.compactMap(\.expiresAt).min()
    return view
  }
}

private protocol Expiring { var expiresAt: Date? { get } }
extension InboxMessage: Expiring {}
extension Card: Expiring {
  fileprivate var expiresAt: Date? { self[dynamicMember: \.expiresAt] }
}

/// A clock that reports the requested length of each sleep.
struct NapClock: EngagementClock {
  let naps: AsyncStream<Duration>
  private let inner: TestClock
  private let log: AsyncStream<Duration>.Continuation

  init(_ inner: TestClock) {
    self.inner = inner
    (naps, log) = AsyncStream.makeStream()
  }

  var now: Date { inner.now }
  var uptime: Duration { inner.uptime }

  func sleep(until uptime: Duration) async {
    log.yield(uptime - inner.uptime)
    await inner.sleep(until: uptime)
  }
}

/// A feed publisher over a scripted cache, with two vendors with containers and one without.
struct FeedStage: Sendable {
  let reader: ScriptedReader
  let clock: TestClock
  /// The clock of the feed publisher.
  let napping: NapClock
  let currentUser: CurrentUser
  let feedPublisher: FeedPublisher

  static let first = Partition(id: 1, environment: "test", user: "u-1")
  static let second = Partition(id: 2, environment: "test", user: "u-2")
  static let anonymous = Partition(id: 3, environment: "test", user: .anonymous)

  init(
    _ routes: Routes = Routes(cards: .merge(["a", "b"]), inbox: .merge(["a", "b"])),
    _ containers: ContainerMap = [:], keyed: Set<ProviderID> = [],
    user: Partition = FeedStage.first,
    pause: @escaping @Sendable () async -> Void = {}
  ) {
    reader = ScriptedReader(pause)
    clock = TestClock()
    napping = NapClock(clock)
    currentUser = CurrentUser(user)
    feedPublisher = FeedPublisher(
      reader,
      keptRoutes: { [reader] _ in
        RouteStore.Kept(
          routes: reader.keptRoutes.reduce(into: routes) { $0.set($1.value, at: $1.key) })
      }, of: currentUser, clock: napping,
      log: Log(loggers: []), routes: routes,
      containers: containers, capabilities: Self.capabilities, keyed: keyed)
  }

  static let capabilities: [ProviderID: AdapterCapabilities] = [
    "a": .init(
      abilities: [:], hosts: [], hasContainers: true, filters: [.priority: [.greaterThan]]),
    "b": .init(abilities: [:], hosts: [], hasContainers: true),
    "flat": .init(abilities: [:], hosts: []),
  ]

  /// Puts cards into the cache and reports the commit to the feed publisher.
  func commit(
    _ cards: [Card], _ key: FeedKey, of partition: Partition = FeedStage.first, total: Int? = nil
  ) async {
    reader.set(
      FeedView(items: cards, total: total, refreshedAt: clock.now), key, of: partition)
    var report = CommitReport()
    report.feeds = [key]
    await feedPublisher.observe(report, of: partition)
  }

  func commit(
    _ messages: [InboxMessage], _ provider: ProviderID, of partition: Partition = FeedStage.first
  ) async {
    reader.set(
      FeedView(items: messages, refreshedAt: clock.now), provider, of: partition)
    var report = CommitReport()
    report.feeds = [FeedKey(provider, .inbox)]
    await feedPublisher.observe(report, of: partition)
  }

  /// Changes the current user.
  func change(to partition: Partition) async throws {
    try await feedPublisher.enter(currentUser.move(into: partition))
  }

  func ids(in container: ContainerID = "home") -> [String] {
    feedPublisher.cards(in: container).cards.map(\.id.description)
  }

  /// Changes the route of the cards.
  func show(_ route: Route) {
    var routes = feedPublisher.plans.routes
    routes.cards = route
    feedPublisher.follow(RouteStore.Kept(routes: routes))
  }

  func updates(_ options: CardOptions = .standard) -> FeedUpdates<CardFeed> {
    feedPublisher.cardUpdates(in: "home", every: options.interval) { $0.feed(with: options) }
  }
}

extension FeedKey {
  static let a = FeedKey("a", Feed(.cards, in: "home"))
  static let b = FeedKey("b", Feed(.cards, in: "home"))
  static let flat = FeedKey("flat", .cards)
}

extension Card {
  static func test(_ id: ItemID, _ change: (inout Card) -> Void = { _ in }) -> Card {
    var card = Card(id, vendor: "test", kind: .classic)
    change(&card)
    return card
  }

  static func a(_ id: String, _ change: (inout Card) -> Void = { _ in }) -> Card {
    .test(ItemID("a", id), change)
  }

  static func b(_ id: String, _ change: (inout Card) -> Void = { _ in }) -> Card {
    .test(ItemID("b", id), change)
  }
}

extension InboxMessage {
  static func test(_ id: ItemID, _ change: (inout InboxMessage) -> Void = { _ in }) -> InboxMessage
  {
    var message = InboxMessage(id, vendor: "test")
    change(&message)
    return message
  }
}

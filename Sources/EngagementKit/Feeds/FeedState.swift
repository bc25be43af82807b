import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The feeds that are shown to one user, as a value: the feeds of the cache as they were last read,
/// and the snapshots of containers and inbox.
///
/// The publisher computes the next state from a copy outside its lock, and installs it if the state
/// has not changed meanwhile.
struct FeedState: Sendable {
  private(set) var userSession: UserSession
  /// Increases with every change of user or route.
  private(set) var epoch = 0
  /// Increases with every change.
  private(set) var version = 0
  private(set) var plans: RoutePlans
  private let containers: ContainerMap
  private let capabilities: [ProviderID: AdapterCapabilities]
  /// The providers whose items have content keys.
  private let keyed: Set<ProviderID>
  private(set) var feeds: [FeedKey: Loaded<Card>] = [:]
  private(set) var inboxes: [ProviderID: Loaded<InboxMessage>] = [:]
  private var cards: [ContainerID: ContainerSnapshot] = [:]
  private var inbox: InboxSnapshot?

  /// A feed with the number under which it was loaded.
  struct Loaded<Item: FeedItem>: Sendable {
    var view: FeedView<Item>
    var number: Int64
  }

  init(
    _ userSession: UserSession, plans: RoutePlans, containers: ContainerMap,
    capabilities: [ProviderID: AdapterCapabilities], keyed: Set<ProviderID> = []
  ) {
    self.userSession = userSession
    self.plans = plans
    self.containers = containers
    self.capabilities = capabilities
    self.keyed = keyed
  }

  // MARK: Changes

  /// Empties the feeds of the former user, and takes the arms of the new one.
  mutating func enter(
    _ userSession: UserSession, _ standings: [String: Engagement.Split.Standing] = [:]
  ) {
    self.userSession = userSession
    plans = plans.with(standings)
    feeds = [:]
    inboxes = [:]
    clear()
  }

  /// Changes who fills the containers and the inbox.
  mutating func follow(_ plans: RoutePlans) {
    self.plans = plans
    clear()
  }

  private mutating func clear() {
    cards = [:]
    inbox = nil
    epoch += 1
    version += 1
  }

  /// Takes loaded feeds, except those that are older than what is here. Returns the changed feeds.
  mutating func take(_ loaded: LoadedFeeds, at now: Date) -> ChangedFeeds {
    // Those whose cards, and those whose messages may be shown in another way now.
    var (providers, senders): (Set<ProviderID>, Set<ProviderID>) = ([], [])
    for (key, view) in loaded.cards where loaded.number >= feeds[key]?.number ?? 0 {
      feeds[key] = Loaded(view: view, number: loaded.number)
      providers.insert(key.provider)
      if isBridged(key.provider, to: .inbox) { senders.insert(key.provider) }
    }
    for (provider, view) in loaded.messages where loaded.number >= inboxes[provider]?.number ?? 0 {
      inboxes[provider] = Loaded(view: view, number: loaded.number)
      senders.insert(provider)
      if isBridged(provider, to: .cards) { providers.insert(provider) }
    }
    guard !providers.isEmpty || !senders.isEmpty else { return ChangedFeeds() }
    version += 1
    var changed = ChangedFeeds()
    for (container, shown) in cards
    where !providers.isDisjoint(with: plans.plan(of: container).shown) {
      let snapshot = makeSnapshot(in: container, at: now)
      cards[container] = snapshot
      if !snapshot.looksLike(shown) { changed.containers.insert(container) }
    }
    if let shown = inbox, !senders.isEmpty {
      let snapshot = makeInbox(at: now)
      inbox = snapshot
      changed.inbox = !snapshot.looksLike(shown)
    }
    return changed
  }

  // MARK: Snapshots

  /// The snapshot of a container, and whether time alone has changed it.
  mutating func snapshot(in container: ContainerID, at now: Date) -> (
    ContainerSnapshot, hasChanged: Bool
  ) {
    guard var snapshot = cards[container] else {
      let snapshot = makeSnapshot(in: container, at: now)
      cards[container] = snapshot
      version += 1
      return (snapshot, false)
    }
    guard let end = snapshot.validUntil, end <= now else { return (snapshot, false) }
    snapshot.expire(at: now)
    cards[container] = snapshot
    version += 1
    return (snapshot, true)
  }

  /// The snapshot of the inbox, and whether time alone has changed it.
  mutating func inbox(at now: Date) -> (InboxSnapshot, hasChanged: Bool) {
    guard var snapshot = inbox else {
      let snapshot = makeInbox(at: now)
      inbox = snapshot
      version += 1
      return (snapshot, false)
    }
    guard let end = snapshot.validUntil, end <= now else { return (snapshot, false) }
    snapshot.expire(at: now)
    inbox = snapshot
    version += 1
    return (snapshot, true)
  }

  /// An empty feed, for the time between two users.
  func blank(in container: ContainerID) -> CardFeed {
    CardFeed(freshness: plans.plan(of: container).noFreshness)
  }

  /// An empty feed, for the time between two users.
  func blankInbox() -> InboxFeed { InboxFeed(freshness: plans.inbox.noFreshness) }

  // MARK: Items

  func card(_ id: ItemID, at now: Date) -> Card? {
    for (key, reading) in feeds where key.provider == id.provider {
      if let card = reading.view.items.first(where: { $0.id == id }), !card.hasEnded(at: now) {
        return card
      }
    }
    guard isBridged(id.provider, to: .cards) else { return nil }
    return ownMessage(id, at: now).map { card(showing: $0) }
  }

  func message(_ id: ItemID, at now: Date) -> InboxMessage? {
    guard isBridged(id.provider, to: .inbox) else { return ownMessage(id, at: now) }
    for (key, reading) in feeds where key.provider == id.provider {
      if let card = reading.view.shown.first(where: { $0.id == id }), !card.hasEnded(at: now) {
        return InboxMessage(showing: card)
      }
    }
    return nil
  }

  private func ownMessage(_ id: ItemID, at now: Date) -> InboxMessage? {
    inboxes[id.provider]?.view.items.first { $0.id == id && !$0.hasEnded(at: now) }
  }

  // MARK: Time

  /// When the next change by time alone is due; nil for never.
  var validUntil: Date? {
    (feeds.values.compactMap(\.view.validUntil) + inboxes.values.compactMap(\.view.validUntil))
      .min()
  }

  /// The feeds that time has changed since they were read.
  func due(at now: Date) -> Set<FeedKey> {
    let cards = feeds.filter { $0.value.view.validUntil.map { $0 <= now } ?? false }.map(\.key)
    let inbox = inboxes.filter { $0.value.view.validUntil.map { $0 <= now } ?? false }
    return Set(cards + inbox.map { FeedKey($0.key, .inbox) })
  }

  /// When the provider's feeds were last refreshed, except answers under conditions.
  func refreshDates(of provider: ProviderID) -> [Feed: Date] {
    var dates: [Feed: Date] = [:]
    for (key, reading) in feeds where key.provider == provider && key.feed.filters.isEmpty {
      dates[key.feed] = reading.view.refreshedAt
    }
    dates[.inbox] = inboxes[provider]?.view.refreshedAt
    return dates
  }

  /// Every feed that was read.
  var keys: Set<FeedKey> { Set(feeds.keys).union(inboxes.keys.map { FeedKey($0, .inbox) }) }
}

extension FeedState {
  /// The provider's feeds that are observed, each once; nil if no route leads to the provider.
  func feeds(of provider: ProviderID, behind observers: FeedObservers) -> [Feed]? {
    let hasInbox = plans.inbox.shows(provider)
    guard hasInbox || plans.showsCards(of: provider) else { return nil }
    let shown = observers.containers.filter { plans.plan(of: $0.container).shows(provider) }
    let cards = shown.map { container, filters in
      var feed = source(of: container, at: provider).feed
      feed.filters = vendorFilters(of: provider).split(filters).asked
      return feed
    }
    var seen: Set<Feed> = []
    return (cards + (hasInbox && observers.places.inbox ? inboxFeeds(of: provider) : []))
      .filter { seen.insert($0).inserted }
  }

  private func inboxFeeds(of provider: ProviderID) -> [Feed] {
    guard let capabilities = capabilities[provider] else { return [.inbox] }
    let known = feeds.keys.filter { $0.provider == provider }.map(\.feed)
    return containers.inboxFeeds(at: provider, capabilities, plans.routes, known: known)
  }

  func source(of container: ContainerID, at provider: ProviderID) -> ContainerMap.Source {
    containers.source(
      of: container, at: provider, hasContainers: capabilities[provider]?.hasContainers ?? false,
      isBridged: isBridged(provider, to: .cards))
  }

  private func vendorFilters(of provider: ProviderID) -> VendorFilters {
    capabilities[provider]?.filters ?? [:]
  }

  /// Whether a container with these conditions shows cards of the feed.
  func shows(_ key: FeedKey, in container: ContainerID, under filters: [CardFilter]) -> Bool {
    guard plans.plan(of: container).shows(key.provider) else { return false }
    let source = source(of: container, at: key.provider)
    if isBridged(key.provider, to: .cards) { return key.feed.surface == .inbox }
    return key.feed == source.feed
      || source.isAnswer(key.feed)
        && key.feed.filters == vendorFilters(of: key.provider).split(filters).asked
  }

  /// Whether the inbox shows messages of the feed.
  func showsInInbox(_ key: FeedKey) -> Bool {
    guard plans.inbox.shows(key.provider) else { return false }
    return isBridged(key.provider, to: .inbox)
      ? key.feed.isWholeContainer : key.feed.surface == .inbox
  }

  /// Whether the surface can show the items of the feed. It does not matter which route holds.
  func fills(_ surface: RoutedSurface, _ key: FeedKey) -> Bool {
    let own = isBridged(key.provider, to: surface) ? surface.counterpart : surface
    return key.feed.surface == own?.surface
  }

  private func makeSnapshot(in container: ContainerID, at now: Date) -> ContainerSnapshot {
    var ends: [Date] = []
    var filtered: [[CardFilter]: [ProviderPart<Card>]] = [:]
    let plan = plans.plan(of: container)
    let parts = plan.shown.map { provider in
      let source = source(of: container, at: provider)
      for (key, reading) in feeds where key.provider == provider {
        guard source.isAnswer(key.feed) else { continue }
        filtered[key.feed.filters, default: []].append(
          part(of: reading.view, from: provider, source))
        if let end = reading.view.validUntil { ends.append(end) }
      }
      let view = view(of: source.feed, at: provider)
      if let end = view.validUntil { ends.append(end) }
      return part(of: view, from: provider, source)
    }
    var snapshot = ContainerSnapshot(
      epoch: epoch, isMerged: plan.isMerged, mayHaveCopies: mayHaveCopies(plan), parts: parts,
      filtered: filtered,
      vendorFilters: capabilities.mapValues(\.filters), validUntil: ends.min())
    if let end = snapshot.validUntil, end <= now { snapshot.expire(at: now) }
    return snapshot
  }

  private func part(
    of view: FeedView<Card>, from provider: ProviderID, _ source: ContainerMap.Source
  ) -> ProviderPart<Card> {
    guard source.isSelective else { return ProviderPart(view, of: provider) }
    var view = view.with(view.items.filter(source.shows))
    view.total = nil
    return ProviderPart(view, of: provider)
  }

  /// Whether several of the providers may list one content.
  private func mayHaveCopies(_ plan: RoutePlan) -> Bool {
    plan.isMerged && plan.shown.count(where: keyed.contains) > 1
  }

  private func makeInbox(at now: Date) -> InboxSnapshot {
    let plan = plans.inbox
    let readings = plan.shown.map { ($0, messages(of: $0)) }
    var snapshot = InboxSnapshot(
      epoch: epoch, isMerged: plan.isMerged, mayHaveCopies: mayHaveCopies(plan),
      parts: readings.map { ProviderPart($1, of: $0) },
      validUntil: readings.compactMap(\.1.validUntil).min())
    if let end = snapshot.validUntil, end <= now { snapshot.expire(at: now) }
    return snapshot
  }
}

extension FeedState {
  /// The card, and where it stands among those of its feed, from 1.
  func cardWithPlace(_ id: ItemID, at now: Date) -> (Card, place: JSONObject)? {
    for (key, reading) in feeds where key.provider == id.provider {
      guard let index = reading.view.items.firstIndex(where: { $0.id == id }),
        !reading.view.items[index].hasEnded(at: now)
      else { continue }
      var place = Self.lengths(of: reading.view)
      place["position"] = .integer(Int64(index + 1))
      return (reading.view.items[index], place)
    }
    return nil
  }

  /// How many cards a container has at the provider, and its name there; nil if the provider feeds
  /// no cards.
  func place(of container: ContainerID, at provider: ProviderID) -> JSONObject? {
    guard plans.plan(of: container).shows(provider) else { return nil }
    let feed = source(of: container, at: provider).feed
    var place = feeds[FeedKey(provider, feed)].map { Self.lengths(of: $0.view) } ?? [:]
    place["containerID"] = feed.container.map { .string($0.rawValue) }
    return place
  }

  private static func lengths(of view: FeedView<Card>) -> JSONObject {
    let shown = view.shown.count
    return [
      "streamLength": .integer(Int64(max(view.total ?? 0, shown))),
      "streamLengthVisible": .integer(Int64(shown)),
    ]
  }
}

// MARK: Items of the other kind

extension FeedState {
  /// Whether the provider shows its items on the surface as items of another kind.
  func isBridged(_ provider: ProviderID, to surface: RoutedSurface) -> Bool {
    surface.isBridged(to: capabilities[provider])
  }

  private func view(of feed: Feed, at provider: ProviderID) -> FeedView<Card> {
    guard isBridged(provider, to: .cards) else {
      return feeds[FeedKey(provider, feed)]?.view ?? FeedView()
    }
    guard let messages = inboxes[provider]?.view else { return FeedView() }
    return FeedView(showing: messages, canDismiss: canDismissMessages(of: provider))
  }

  func messages(of provider: ProviderID) -> FeedView<InboxMessage> {
    guard isBridged(provider, to: .inbox) else { return inboxes[provider]?.view ?? FeedView() }
    return FeedView(
      showing: feeds.filter { $0.key.provider == provider && $0.key.feed.isWholeContainer }
        .map(\.value.view))
  }

  private func card(showing message: InboxMessage) -> Card {
    Card(showing: message, canDismiss: canDismissMessages(of: message.id.provider))
  }

  private func canDismissMessages(of provider: ProviderID) -> Bool {
    capabilities[provider]?.canDismissBridgedMessages ?? false
  }
}

extension RoutePlan {
  /// That no provider has answered.
  fileprivate var noFreshness: [ProviderID: Date?] {
    Dictionary(shown.map { ($0, nil) }) { first, _ in first }
  }
}

/// The containers whose snapshot changed, and whether the inbox did.
struct ChangedFeeds: Hashable, Sendable {
  var containers: Set<ContainerID> = []
  var inbox = false

  var isEmpty: Bool { containers.isEmpty && !inbox }
}

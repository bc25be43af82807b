import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import FoundationEssentials

/// Everything that is shown to one user, as a value: the feeds of the cache as they were last
/// read, and the places in which they are shown.
///
/// A new one is worked out from a copy, beside those who read, and takes the place of the old one
/// if that has not changed meanwhile.
struct Exhibition: Sendable {
  private(set) var occupant: Occupant
  /// Counts up with every change of user or route: what was shown before is not shown any more.
  private(set) var epoch = 0
  /// Counts up with every change.
  private(set) var version = 0
  private(set) var routes: Routes
  private let containers: ContainerMap
  private let capabilities: [ProviderID: AdapterCapabilities]
  private var feeds: [FeedKey: Reading<Card>] = [:]
  private var inboxes: [ProviderID: Reading<InboxMessage>] = [:]
  private var cards: [ContainerID: CardExhibit] = [:]
  private var inbox: InboxExhibit?

  /// A feed with the number of the question that it answered.
  private struct Reading<Item: FeedItem>: Sendable {
    var view: FeedView<Item>
    var number: Int
  }

  init(
    _ occupant: Occupant, routes: Routes, containers: ContainerMap,
    capabilities: [ProviderID: AdapterCapabilities]
  ) {
    self.occupant = occupant
    self.routes = routes
    self.containers = containers
    self.capabilities = capabilities
  }

  // MARK: Changes

  /// Shows nothing of the former occupant any more.
  mutating func enter(_ occupant: Occupant) {
    self.occupant = occupant
    feeds = [:]
    inboxes = [:]
    clear()
  }

  mutating func setRoute(_ route: Route, of surface: RoutedSurface) {
    routes[surface] = route
    clear()
  }

  private mutating func clear() {
    cards = [:]
    inbox = nil
    epoch += 1
    version += 1
  }

  /// Takes what the cache answered, unless something newer is there, and says which places
  /// look different now.
  mutating func take(_ answers: [FeedAnswer], at now: Date) -> Places {
    let accepted = answers.filter { accept($0) }
    guard !accepted.isEmpty else { return Places() }
    version += 1
    var places = Places()
    let providers = Set(accepted.compactMap(\.cardProvider))
    if !providers.isDisjoint(with: routes.cards.providers) {
      for (container, shown) in cards {
        let exhibit = makeExhibit(in: container, at: now)
        cards[container] = exhibit
        if !exhibit.looksLike(shown) { places.containers.insert(container) }
      }
    }
    if let shown = inbox, accepted.contains(where: \.isInbox) {
      let exhibit = makeInbox(at: now)
      inbox = exhibit
      places.inbox = !exhibit.looksLike(shown)
    }
    return places
  }

  private mutating func accept(_ answer: FeedAnswer) -> Bool {
    switch answer {
    case .cards(let key, let view, let number):
      guard number >= feeds[key]?.number ?? 0 else { return false }
      feeds[key] = Reading(view: view, number: number)
    case .messages(let provider, let view, let number):
      guard number >= inboxes[provider]?.number ?? 0 else { return false }
      inboxes[provider] = Reading(view: view, number: number)
    }
    return true
  }

  // MARK: Places

  /// What a container shows now, and whether that changed by time alone.
  mutating func exhibit(in container: ContainerID, at now: Date) -> (CardExhibit, hasChanged: Bool)
  {
    guard var exhibit = cards[container] else {
      let exhibit = makeExhibit(in: container, at: now)
      cards[container] = exhibit
      version += 1
      return (exhibit, false)
    }
    guard let end = exhibit.validUntil, end <= now else { return (exhibit, false) }
    exhibit.expire(at: now)
    cards[container] = exhibit
    version += 1
    return (exhibit, true)
  }

  /// What the inbox shows now, and whether that changed by time alone.
  mutating func inbox(at now: Date) -> (InboxExhibit, hasChanged: Bool) {
    guard var exhibit = inbox else {
      let exhibit = makeInbox(at: now)
      inbox = exhibit
      version += 1
      return (exhibit, false)
    }
    guard let end = exhibit.validUntil, end <= now else { return (exhibit, false) }
    exhibit.expire(at: now)
    inbox = exhibit
    version += 1
    return (exhibit, true)
  }

  /// What is shown while one user has left and the next is not there yet.
  func blank() -> (cards: CardFeed, inbox: InboxFeed) {
    func freshness(_ route: Route) -> [ProviderID: Date?] {
      Dictionary(route.providers.map { ($0, nil) }) { first, _ in first }
    }
    return (
      CardFeed(freshness: freshness(routes.cards)), InboxFeed(freshness: freshness(routes.inbox))
    )
  }

  // MARK: Items

  func card(_ id: ItemID, at now: Date) -> Card? {
    for (key, reading) in feeds where key.provider == id.provider {
      if let card = reading.view.items.first(where: { $0.id == id }), !card.hasEnded(at: now) {
        return card
      }
    }
    return nil
  }

  func message(_ id: ItemID, at now: Date) -> InboxMessage? {
    inboxes[id.provider]?.view.items.first { $0.id == id && !$0.hasEnded(at: now) }
  }

  // MARK: Time

  /// When time alone changes a feed of the cache; nil for never.
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

  /// Every feed that was read.
  var keys: Set<FeedKey> { Set(feeds.keys).union(inboxes.keys.map { FeedKey($0, .inbox) }) }
}

extension Exhibition {
  /// Whether the feed is part of what a container shows, to somebody with these conditions.
  func shows(_ key: FeedKey, in container: ContainerID, under filters: [CardFilter]) -> Bool {
    guard routes.cards.providers.contains(key.provider) else { return false }
    let source = containers.source(
      of: container, at: key.provider,
      hasContainers: capabilities[key.provider]?.hasContainers ?? false)
    return key.feed == source.feed
      || source.isAnswer(key.feed) && key.feed.filters == filters
  }

  private func makeExhibit(in container: ContainerID, at now: Date) -> CardExhibit {
    var ends: [Date] = []
    var filtered: [[CardFilter]: [ExhibitPart<Card>]] = [:]
    let parts = routes.cards.providers.map { provider in
      let source = containers.source(
        of: container, at: provider,
        hasContainers: capabilities[provider]?.hasContainers ?? false)
      for (key, reading) in feeds where key.provider == provider {
        guard source.isAnswer(key.feed) else { continue }
        filtered[key.feed.filters, default: []].append(
          part(of: reading.view, from: provider, source))
        if let end = reading.view.validUntil { ends.append(end) }
      }
      let view = feeds[FeedKey(provider, source.feed)]?.view ?? FeedView()
      if let end = view.validUntil { ends.append(end) }
      return part(of: view, from: provider, source)
    }
    var exhibit = CardExhibit(
      epoch: epoch, isMerged: routes.cards.isMerged, parts: parts, filtered: filtered,
      validUntil: ends.min())
    if let end = exhibit.validUntil, end <= now { exhibit.expire(at: now) }
    return exhibit
  }

  private func part(
    of view: FeedView<Card>, from provider: ProviderID, _ source: ContainerMap.Source
  ) -> ExhibitPart<Card> {
    guard source.isSelective else { return ExhibitPart(view, of: provider) }
    var view = view.with(view.items.filter(source.shows))
    view.total = nil
    return ExhibitPart(view, of: provider)
  }

  private func makeInbox(at now: Date) -> InboxExhibit {
    let readings = routes.inbox.providers.map { ($0, inboxes[$0]?.view ?? FeedView()) }
    var exhibit = InboxExhibit(
      epoch: epoch, isMerged: routes.inbox.isMerged,
      parts: readings.map { ExhibitPart($1, of: $0) },
      validUntil: readings.compactMap(\.1.validUntil).min())
    if let end = exhibit.validUntil, end <= now { exhibit.expire(at: now) }
    return exhibit
  }
}

/// What the cache answered about one feed, numbered by when it was asked.
enum FeedAnswer: Sendable {
  case cards(FeedKey, FeedView<Card>, number: Int)
  case messages(ProviderID, FeedView<InboxMessage>, number: Int)

  var cardProvider: ProviderID? {
    if case .cards(let key, _, _) = self { key.provider } else { nil }
  }

  var isInbox: Bool { if case .messages = self { true } else { false } }
}

/// Places that show something else than before.
struct Places: Hashable, Sendable {
  var containers: Set<ContainerID> = []
  var inbox = false

  var isEmpty: Bool { containers.isEmpty && !inbox }
}

import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// One provider's part of a snapshot.
struct ProviderPart<Item: FeedItem>: Hashable, Sendable {
  var provider: ProviderID
  var view: FeedView<Item>

  init(_ view: FeedView<Item>, of provider: ProviderID) {
    self.provider = provider
    self.view = view
    // The dates are compared by the whole snapshot.
    self.view.validUntil = nil
  }

  /// The part without the copies of these contents. Each copy is on a screen: control cards have no
  /// keys.
  func without(_ contents: Set<ContentKey>) -> ProviderPart {
    guard !contents.isEmpty else { return self }
    let shown = view.shown
    var rest: [Item] = []
    rest.reserveCapacity(shown.count)
    var unreadCount = view.unreadCount
    for item in shown {
      if let key = item.contentKey, contents.contains(key) {
        if item.isUnread { unreadCount -= 1 }
      } else {
        rest.append(item)
      }
    }
    let dropped = shown.count - rest.count
    guard dropped > 0 else { return self }
    var items = rest
    if shown.count < view.items.count {
      items = view.items.filter { item in item.contentKey.map { !contents.contains($0) } ?? true }
    }
    var part = self
    part.view = view.with(items, onScreen: rest, unreadCount: unreadCount)
    part.view.total = view.total.map { $0 > dropped ? $0 - dropped : 0 }
    return part
  }
}

/// The contents of one of the application's containers.
struct ContainerSnapshot: Sendable {
  let epoch: Int
  let isMerged: Bool
  /// Whether several providers may list one content, which is shown once.
  private let mayHaveCopies: Bool
  /// The cards in the order of the route, with control cards.
  private(set) var parts: [ProviderPart<Card>]
  /// The parts that vendors gave for requests with conditions.
  private(set) var filtered: [[CardFilter]: [ProviderPart<Card>]]
  private let vendorFilters: [ProviderID: VendorFilters]
  /// The feed without control cards and without conditions.
  private(set) var feed: CardFeed
  /// When time alone changes what is shown; nil for never.
  private(set) var validUntil: Date?

  init(
    epoch: Int, isMerged: Bool, mayHaveCopies: Bool, parts: [ProviderPart<Card>],
    filtered: [[CardFilter]: [ProviderPart<Card>]] = [:],
    vendorFilters: [ProviderID: VendorFilters] = [:], validUntil: Date? = nil
  ) {
    self.epoch = epoch
    self.isMerged = isMerged
    self.mayHaveCopies = mayHaveCopies
    self.parts = parts
    self.filtered = filtered
    self.vendorFilters = vendorFilters
    self.validUntil = validUntil
    feed = CardFeed()
    feed = makeFeed()
  }

  /// The feed with these options.
  func feed(with options: CardOptions) -> CardFeed {
    if options.isPlain { return feed }
    let chosen = parts.map { part in
      let (asked, kept) = (vendorFilters[part.provider] ?? [:]).split(options.filters)
      let answer = filtered[asked]?.first { $0.provider == part.provider }
      return (part: answer ?? part, conditions: answer == nil ? options.filters : kept)
    }
    var seen = chosen.map(\.part)
    if mayHaveCopies { seen = FeedMerge.withoutCopies(seen, of: parts) }
    return feed(
      of: zip(seen, chosen).map { $0.matching($1.conditions) },
      withControl: options.includesControl)
  }

  private func makeFeed() -> CardFeed {
    feed(of: mayHaveCopies ? FeedMerge.withoutCopies(parts) : parts)
  }

  /// Removes cards that have expired. Cards that become visible by time come from the cache.
  mutating func expire(at now: Date) {
    for index in parts.indices { parts[index].expire(at: now) }
    filtered = filtered.mapValues { parts in
      parts.map { part in
        var part = part
        part.expire(at: now)
        return part
      }
    }
    feed = makeFeed()
    validUntil = (parts + filtered.values.joined()).lazy.flatMap(\.view.items)
      .compactMap(\.expiresAt).min()
  }

  /// Whether both show the same with any options.
  func looksLike(_ other: ContainerSnapshot) -> Bool {
    epoch == other.epoch && parts == other.parts && filtered == other.filtered
  }

  private func feed(
    of parts: [ProviderPart<Card>], withControl: Bool = false
  ) -> CardFeed {
    let lists = parts.map { withControl ? $0.view.items : $0.view.shown }
    let cards =
      isMerged ? FeedMerge.cards(lists) : lists.count == 1 ? lists[0] : lists.flatMap(\.self)
    return CardFeed(
      cards, unreadCount: parts.reduce(0) { $0 + $1.view.unreadCount },
      // A vendor's own count may be any number.
      total: parts.reduce(0) { $0.addingClamped(max($1.view.total ?? 0, $1.view.shown.count)) },
      freshness: freshness(of: parts))
  }
}

/// The contents of the inbox.
struct InboxSnapshot: Sendable {
  let epoch: Int
  private let isMerged: Bool
  private let mayHaveCopies: Bool
  private var parts: [ProviderPart<InboxMessage>]
  private(set) var feed: InboxFeed
  /// When time alone changes what is shown; nil for never.
  private(set) var validUntil: Date?

  init(
    epoch: Int, isMerged: Bool, mayHaveCopies: Bool, parts: [ProviderPart<InboxMessage>],
    validUntil: Date? = nil
  ) {
    self.epoch = epoch
    self.isMerged = isMerged
    self.mayHaveCopies = mayHaveCopies
    self.parts = parts
    self.validUntil = validUntil
    feed = InboxFeed()
    feed = makeFeed()
  }

  /// Removes messages that have expired.
  mutating func expire(at now: Date) {
    for index in parts.indices {
      let view = parts[index].view
      parts[index].view = view.with(view.items.filter { !$0.hasEnded(at: now) })
    }
    feed = makeFeed()
    validUntil = parts.lazy.flatMap(\.view.items).compactMap(\.expiresAt).min()
  }

  func looksLike(_ other: InboxSnapshot) -> Bool { epoch == other.epoch && feed == other.feed }

  private func makeFeed() -> InboxFeed {
    let shown = mayHaveCopies ? FeedMerge.withoutCopies(parts) : parts
    let lists = shown.map(\.view.items)
    let messages =
      isMerged ? FeedMerge.messages(lists) : lists.count == 1 ? lists[0] : lists.flatMap(\.self)
    return InboxFeed(messages, freshness: freshness(of: parts))
  }
}

private func freshness<Item>(of parts: [ProviderPart<Item>]) -> [ProviderID: Date?] {
  Dictionary(parts.map { ($0.provider, $0.view.refreshedAt) }) { first, _ in first }
}

extension ProviderPart<Card> {
  /// The part with the cards that are known to meet every condition.
  fileprivate func matching(_ filters: [CardFilter]) -> Self {
    guard !filters.isEmpty else { return self }
    var part = self
    part.view.total = nil
    part.view = part.view.with(
      part.view.items.filter { CardFilter.all(filters, match: $0) == true })
    return part
  }

  fileprivate mutating func expire(at now: Date) {
    view = view.with(view.items.filter { !$0.hasEnded(at: now) })
  }
}

extension Card {
  func hasEnded(at now: Date) -> Bool { self.expiresAt.map { $0 <= now } ?? false }
}

extension InboxMessage {
  func hasEnded(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// The cards of a feed as the user sees them, and the control cards among them.
  mutating func cards(
    in key: FeedKey, of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<Card> {
    var source = try take(key.provider, key.feed.surface, of: partition, on: &database)
    var view = FeedView<Card>()
    if let listed = source.feeds[FeedName(key.feed)], let mapper = source.mapper {
      let glance = try glance(at: listed, of: &source, by: mapper, at: now, on: &database)
      source.feeds[FeedName(key.feed)]?.glance = glance
      view = glance.view
      view.note(listed)
    }
    put(source)
    return view
  }

  private mutating func glance(
    at listed: ListedFeed, of source: inout Source, by mapper: ItemMapper, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> Glance<Card> {
    if let glance = listed.glance, glance.holds(source.looks, at: now) { return glance }
    let time = Milliseconds.down(now)
    let rows = try memberships.visible(in: listed.row, endingAfter: time, on: &database)
    try open(rows, in: listed.row, endingAfter: time, of: &source, on: &database)
    var sight = Sight<Card>()
    sight.items.reserveCapacity(rows.count)
    for row in rows {
      guard case .card(var card)? = try content(of: row, in: &source, on: &database),
        !card.dismissed
      else { continue }
      // A card may be in several containers, so the list says in which, not the item.
      if card.container == nil, let own = listed.feed.container { card.container = own }
      let overlay = source.overlay(of: card.id)
      sight.add(overlay?.applied(to: card) ?? card, until: card.expiresAt, overlay, at: now)
    }
    // The index has the order that the adapter gave when the items came.
    let view = FeedView(items: sight.items.sorted(by: mapper.order), validUntil: sight.validUntil)
    return Glance(view: view, looks: source.looks, madeAt: now)
  }

  /// The messages of all inbox feeds that the provider keeps, each once, in the vendor's order.
  mutating func messages(
    of provider: ProviderID, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    var source = try take(provider, .inbox, of: partition, on: &database)
    let glance = try glance(atMessagesOf: &source, at: now, on: &database)
    source.messages = glance
    var view = glance.view
    for listed in source.feeds.values { view.note(listed) }
    put(source)
    return view
  }

  private mutating func glance(
    atMessagesOf source: inout Source, at now: Date, on database: inout Database
  ) throws(EngagementError) -> Glance<InboxMessage> {
    if let glance = source.messages, glance.holds(source.looks, at: now) { return glance }
    var messages: [InboxMessage] = []
    var seen: Set<Int64> = []
    for listed in source.feedsInOrder {
      let rows = try opened(listed, of: &source, on: &database)
      seen.reserveCapacity(seen.count + rows.count)
      messages.reserveCapacity(messages.count + rows.count)
      for row in rows where seen.insert(row).inserted {
        guard case .message(let message)? = source.contents[row] else { continue }
        messages.append(message)
      }
    }
    var sight = Sight<InboxMessage>()
    sight.items.reserveCapacity(messages.count)
    for message in messages.collapsed() {
      let overlay = source.overlay(of: message.id)
      sight.add(
        overlay?.applied(to: message) ?? message, until: message.expiresAt, overlay, at: now)
    }
    let items = sight.items.sorted(by: source.mapper?.order ?? .asSent)
    let view = FeedView(items: items, validUntil: sight.validUntil)
    return Glance(view: view, looks: source.looks, madeAt: now)
  }

  /// The campaigns of a list, as they were sent.
  mutating func campaigns(
    in key: FeedKey, of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> FeedView<Campaign> {
    var source = try take(key.provider, key.feed.surface, of: partition, on: &database)
    var view = FeedView<Campaign>()
    var sight = Sight<Campaign>()
    if let listed = source.feeds[FeedName(key.feed)] {
      view.note(listed)
      for row in try opened(listed, of: &source, on: &database) {
        guard case .campaign(let campaign)? = source.contents[row] else { continue }
        let overlay = source.overlay(of: campaign.id)
        sight.add(campaign, until: campaign.expiresAt, overlay, at: now)
      }
    }
    view.validUntil = sight.validUntil
    put(source)
    return view.with(sight.items)
  }

  /// All that the feed lists, as it was sent; what can be read is in `contents`.
  private mutating func opened(
    _ listed: ListedFeed, of source: inout Source, on database: inout Database
  ) throws(EngagementError) -> [Int64] {
    let rows = try memberships.listed(in: listed.row, on: &database)
    try open(rows, in: listed.row, endingAfter: .min, of: &source, on: &database)
    for row in rows { _ = try content(of: row, in: &source, on: &database) }
    return rows
  }

  /// The feeds that are there, those of filters that this release does not know left out.
  mutating func feeds(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [FeedKey] {
    try feedTable.names(of: partition.id, on: &database).compactMap { found in
      found.name.feed(on: found.surface).map { FeedKey(found.provider, $0) }
    }
  }

  /// How an item is spoken of; nil where it is not there.
  mutating func reference(
    to id: ItemID, on surface: Surface, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> ItemReference? {
    var source = try take(id.provider, surface, of: partition, on: &database)
    var reference: ItemReference?
    if let row = try row(of: ItemName(id.value), in: source, on: &database),
      let content = try content(of: row, in: &source, on: &database)
    {
      reference = content.reference(in: nil)
      if reference?.container == nil {
        reference = content.reference(
          in: try container(of: row, in: source, on: &database))
      }
    }
    put(source)
    return reference
  }

  /// The container of the first feed that lists the item.
  private mutating func container(
    of row: Int64, in source: Source, on database: inout Database
  ) throws(EngagementError) -> ContainerID? {
    for listed in source.feedsInOrder where listed.feed.container != nil {
      guard try memberships.lists(row, in: listed.row, on: &database) else { continue }
      return listed.feed.container
    }
    return nil
  }
}

extension Source {
  fileprivate func overlay(of id: ItemID) -> Overlay? {
    overlays.isEmpty ? nil : overlays[ItemName(id.value)]
  }

  /// The one without a container first, then by container and filters.
  fileprivate var feedsInOrder: [ListedFeed] {
    feeds.sorted { left, right in
      let names = (left.value.feed.container, right.value.feed.container)
      guard names.0 != names.1 else { return left.key < right.key }
      guard let first = names.0, let second = names.1 else { return names.0 == nil }
      return first < second
    }.map(\.value)
  }
}

/// What is seen of a feed, and until when that stays so.
private struct Sight<Item> {
  var items: [Item] = []
  var validUntil: Date?

  /// Adds the item where the user sees it, and notes when that changes.
  mutating func add(
    _ item: Item, until end: Date?, _ overlay: Overlay?, at now: Date
  ) {
    let visibility = Visibility(until: end, under: overlay, at: now)
    if visibility.isVisible { items.append(item) }
    if let change = visibility.changesAt { validUntil = min(validUntil ?? change, change) }
  }
}

extension FeedView {
  /// Takes over what the vendor says of one more list.
  fileprivate mutating func note(_ listed: ListedFeed) {
    if let more = listed.total { total = (total ?? 0).addingReportingOverflow(more).partialValue }
    refreshedAt = [refreshedAt, listed.refreshed].compactMap(\.self).max()
  }
}

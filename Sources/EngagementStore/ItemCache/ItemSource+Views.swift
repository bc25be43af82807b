import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension ItemSource {
  /// The cards of a feed as the user sees them, with the control cards among them.
  mutating func cards(
    in feed: Feed, at now: Date, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> FeedView<Card> {
    guard let listed = listed(feed), let order else { return FeedView() }
    var view: FeedView<Card>
    if let cached = cachedCards(of: feed, at: now) {
      view = cached
    } else {
      view = try makeCards(of: listed, in: order, at: now, from: &tables, on: &database)
      cache(view, of: feed, at: now)
    }
    view.note(listed)
    return view
  }

  private mutating func makeCards(
    of listed: ListedFeed, in order: FeedOrder, at now: Date, from tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> FeedView<Card> {
    let time = Milliseconds.down(now)
    let rows = try tables.memberships.visible(in: listed.row, endingAfter: time, on: &database)
    try load(rows, in: listed, endingAfter: time, from: &tables, on: &database)
    var visible = VisibleItems<Card>()
    visible.reserve(rows.count)
    for row in rows {
      guard case .card(var card)? = try content(of: row, from: &tables, on: &database),
        !card.isDismissed
      else { continue }
      // A card may be in several containers, so the list says in which, not the item.
      if card.container == nil, let own = listed.feed.container { card.container = own }
      let overlay = overlay(of: card.id, card.contentKey)
      visible.add(overlay?.applied(to: card) ?? card, until: card.expiresAt, overlay, at: now)
    }
    // The index has the order that the adapter gave when the items came.
    return FeedView(items: visible.items.sorted(by: order), validUntil: visible.validUntil)
  }

  /// The first cards that the user sees of a feed, in the order of its index.
  mutating func firstCards(
    _ count: Int, in feed: Feed, at now: Date, from tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> [Card] {
    guard let listed = listed(feed) else { return [] }
    var cards: [Card] = []
    var pages = FeedPages(listed.row, at: now, size: count)
    while cards.count < count, let rows = try pages.next(on: &database) {
      for row in rows where cards.count < count {
        guard case .card(var card)? = try content(of: row, from: &tables, on: &database),
          !card.isDismissed, card.kind != .control
        else { continue }
        card.container = card.container ?? feed.container
        let overlay = overlay(of: card.id, card.contentKey)
        if overlay?.hides(at: now) != true { cards.append(overlay?.applied(to: card) ?? card) }
      }
    }
    return cards
  }

  /// The messages of all feeds, each once, in the vendor's order.
  mutating func messages(
    at now: Date, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    let feeds = feedsInOrder
    var view: FeedView<InboxMessage>
    if let cached = cachedMessages(at: now) {
      view = cached
    } else {
      view = try makeMessages(of: feeds, at: now, from: &tables, on: &database)
      cache(view, at: now)
    }
    for listed in feeds { view.note(listed) }
    return view
  }

  private mutating func makeMessages(
    of feeds: [ListedFeed], at now: Date, from tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> FeedView<InboxMessage> {
    var messages: [InboxMessage] = []
    var seen: Set<Int64> = []
    for listed in feeds {
      let contents = try contents(of: listed, from: &tables, on: &database)
      seen.reserveCapacity(seen.count + contents.count)
      messages.reserveCapacity(messages.count + contents.count)
      for (row, content) in contents where seen.insert(row).inserted {
        guard case .message(let message)? = content else { continue }
        messages.append(message)
      }
    }
    var visible = VisibleItems<InboxMessage>()
    visible.reserve(messages.count)
    for message in messages.collapsed() {
      let overlay = overlay(of: message.id, message.contentKey)
      visible.add(
        overlay?.applied(to: message) ?? message, until: message.expiresAt, overlay, at: now)
    }
    return FeedView(
      items: visible.items.sorted(by: order ?? .asSent), validUntil: visible.validUntil)
  }

  /// The campaigns of a feed, in the order in which they were sent.
  mutating func campaigns(
    in feed: Feed, at now: Date, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> FeedView<Campaign> {
    guard let listed = listed(feed) else { return FeedView() }
    var visible = VisibleItems<Campaign>()
    for campaign in try listedCampaigns(in: feed, from: &tables, on: &database) {
      visible.add(campaign, until: campaign.expiresAt, overlay(of: campaign.id), at: now)
    }
    var view = FeedView(items: visible.items, validUntil: visible.validUntil)
    view.note(listed)
    return view
  }

  /// Every campaign of a feed, in the order in which they were sent, also those that have ended.
  mutating func listedCampaigns(
    in feed: Feed, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> [Campaign] {
    guard let listed = listed(feed) else { return [] }
    return try contents(of: listed, from: &tables, on: &database).compactMap { _, content in
      if case .campaign(let campaign)? = content { campaign } else { nil }
    }
  }

  /// Every item of the feed, in the order in which they were sent; nil for one that cannot be read.
  private mutating func contents(
    of listed: ListedFeed, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> [(row: Int64, content: ItemContent?)] {
    let rows = try tables.memberships.listed(in: listed.row, on: &database)
    try load(rows, in: listed, from: &tables, on: &database)
    var contents: [(row: Int64, content: ItemContent?)] = []
    contents.reserveCapacity(rows.count)
    for row in rows {
      contents.append((row, try content(of: row, from: &tables, on: &database)))
    }
    return contents
  }

  /// The reference that an action on the item needs; nil if the source does not have the item.
  mutating func reference(
    to name: ItemKey, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> ItemReference? {
    guard let row = try row(of: name, from: &tables, on: &database),
      let content = try content(of: row, from: &tables, on: &database)
    else { return nil }
    let reference = content.reference(in: nil)
    guard reference.container == nil else { return reference }
    return content.reference(in: try container(of: row, from: &tables, on: &database))
  }

  /// Whether the user has viewed the card or read the message.
  mutating func isSeen(
    _ name: ItemKey, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard let row = try row(of: name, from: &tables, on: &database),
      let content = try content(of: row, from: &tables, on: &database)
    else { return false }
    let overlay = overlay(of: content.id, content.contentKey) ?? Overlay()
    return switch content {
    case .card(let card): overlay.applied(to: card).isViewed
    case .message(let message): overlay.applied(to: message).isRead
    case .campaign: false
    }
  }

  /// The other items that are copies of the item's content.
  mutating func copies(
    of name: ItemKey, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> [(id: ItemID, surface: Surface)] {
    guard let row = try row(of: name, from: &tables, on: &database),
      let contentKey = try content(of: row, from: &tables, on: &database)?.contentKey
    else { return [] }
    var copies: [(id: ItemID, surface: Surface)] = []
    let found = try tables.copies.copies(of: contentKey, in: key.partition, on: &database)
    for copy in found where copy.item != row {
      guard let item = try tables.items.item(copy.item, on: &database) else { continue }
      let name = String(decoding: item.name, as: UTF8.self)
      copies.append((ItemID(copy.provider, name), copy.surface))
    }
    return copies
  }

  /// The container of the first feed that lists the item.
  private func container(
    of row: Int64, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> ContainerID? {
    for listed in feedsInOrder where listed.feed.container != nil {
      guard try tables.memberships.lists(row, in: listed.row, on: &database) else { continue }
      return listed.feed.container
    }
    return nil
  }
}

extension FeedView {
  /// Adds what the vendor says of one more feed.
  fileprivate mutating func note(_ listed: ListedFeed) {
    if let more = listed.total { total = (total ?? 0).addingReportingOverflow(more).partialValue }
    refreshedAt = [refreshedAt, listed.refreshedAt].compactMap(\.self).max()
  }
}

import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// The first cards that the user sees of a feed, in the order of its index: as many items are
  /// read as it takes, and not the whole feed.
  mutating func firstCards(
    _ count: Int, in key: FeedKey, of partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) -> [Card] {
    var source = try take(key.provider, key.feed.surface, of: partition, on: &database)
    var cards: [Card] = []
    if let feed = source.feeds[FeedName(key.feed)] {
      var walk = FeedWalk(feed.row, at: now, page: count)
      while cards.count < count, let rows = try walk.next(on: &database) {
        for row in rows where cards.count < count {
          guard case .card(var card)? = try content(of: row, in: &source, on: &database),
            !card.dismissed, card.kind != .control
          else { continue }
          card.container = card.container ?? feed.feed.container
          let overlay = source.overlays[ItemName(card.id.value)]
          if overlay?.hides(at: now) != true { cards.append(overlay?.applied(to: card) ?? card) }
        }
      }
    }
    put(source)
    return cards
  }
}

/// The items of a feed that have not ended, a page at a time, along its index.
private struct FeedWalk: ~Copyable {
  private let feed: Int64
  private let now: Int64
  private let page: Int
  private var last: Place?
  private var isAtEnd = false

  private struct Place {
    let rank: FeedRank
    let place: Int64
  }

  private static let columns = "item, rank1, rank2, rank3, place"
  private static let order = "ORDER BY rank1, rank2, rank3, place LIMIT ?"
  private var first = Statement(
    "SELECT \(columns) FROM membership WHERE feed=? AND expires>? \(order)")
  private var following = Statement(
    """
    SELECT \(columns) FROM membership WHERE feed=? AND expires>?
    AND (rank1, rank2, rank3, place) > (?, ?, ?, ?) \(order)
    """)

  init(_ feed: Int64, at now: Date, page: Int) {
    self.feed = feed
    self.now = Milliseconds.down(now)
    self.page = max(page, 1)
  }

  /// The items of the next page; nil at the end.
  mutating func next(on database: inout Database) throws(EngagementError) -> [Int64]? {
    guard !isAtEnd else { return nil }
    let rows: [(item: Int64, place: Place)]
    if let last {
      rows = try database.all(
        &following, .integer(feed), .integer(now), .real(last.rank.first),
        .real(last.rank.second), .real(last.rank.third), .integer(last.place), .integer(page),
        read: Self.read)
    } else {
      rows = try database.all(
        &first, .integer(feed), .integer(now), .integer(page), read: Self.read)
    }
    last = rows.last?.place
    isAtEnd = rows.count < page
    return rows.map(\.item)
  }

  private static func read(_ row: borrowing Row) -> (item: Int64, place: Place) {
    let rank = FeedRank(first: row.real(1), second: row.real(2), third: row.real(3))
    return (row.integer(0), Place(rank: rank, place: row.integer(4)))
  }
}

import EngagementModel
import EngagementPlatform

/// The items of a feed that have not ended, page by page, in the order of its index.
struct FeedPages: ~Copyable {
  private let feed: Int64
  private let now: Int64
  private let size: Int
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

  init(_ feed: Int64, at now: Date, size: Int) {
    self.feed = feed
    self.now = Milliseconds.down(now)
    self.size = max(size, 1)
  }

  /// The items of the next page; nil at the end.
  mutating func next(on database: inout Database) throws(EngagementError) -> [Int64]? {
    guard !isAtEnd else { return nil }
    let rows: [(item: Int64, place: Place)]
    if let last {
      rows = try database.all(
        &following, .integer(feed), .integer(now), .real(last.rank.first),
        .real(last.rank.second), .real(last.rank.third), .integer(last.place), .integer(size),
        read: Self.read)
    } else {
      rows = try database.all(
        &first, .integer(feed), .integer(now), .integer(size), read: Self.read)
    }
    last = rows.last?.place
    isAtEnd = rows.count < size
    return rows.map(\.item)
  }

  private static func read(_ row: borrowing Row) -> (item: Int64, place: Place) {
    let rank = FeedRank(first: row.real(1), second: row.real(2), third: row.real(3))
    return (row.integer(0), Place(rank: rank, place: row.integer(4)))
  }
}

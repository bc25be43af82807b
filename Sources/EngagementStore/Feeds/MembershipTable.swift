import EngagementModel

/// The items of each feed, in the index by which feeds are read.
struct MembershipTable: ~Copyable {
  private static let columns = "item, rank1, rank2, rank3, place, expires"

  private var insertion = RowInsertion(
    into: "membership", shared: ["feed"],
    own: ["item", "rank1", "rank2", "rank3", "place", "expires"])
  private var deletion = Statement(
    "DELETE FROM membership WHERE feed=? AND rank1=? AND rank2=? AND rank3=? AND place=?")
  private var clearance = Statement("DELETE FROM membership WHERE feed=?")
  private var selection = Statement("SELECT \(columns) FROM membership WHERE feed=?")
  private var visible = Statement(
    """
    SELECT item FROM membership WHERE feed=? AND expires>?
    ORDER BY rank1, rank2, rank3, place
    """)
  private var listed = Statement("SELECT item FROM membership WHERE feed=? ORDER BY place")
  private var search = Statement("SELECT 1 FROM membership WHERE feed=? AND item=? LIMIT 1")

  /// Adds items. Many are best added in the vendor's order, which is that of the index.
  mutating func insert(
    _ items: [(item: Int64, membership: Membership)], in feed: Int64, on database: inout Database
  ) throws(EngagementError) {
    try insertion.run(
      items.count, on: &database, shared: { $0.append(feed) },
      own: { (index, _, values) in
        let (item, membership) = items[index]
        values.append(item)
        values.append(membership.rank.first)
        values.append(membership.rank.second)
        values.append(membership.rank.third)
        values.append(membership.place)
        values.append(membership.expires)
      })
  }

  mutating func delete(
    _ membership: Membership, in feed: Int64, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &deletion, .integer(feed), .real(membership.rank.first), .real(membership.rank.second),
      .real(membership.rank.third), .integer(membership.place))
  }

  mutating func clear(_ feed: Int64, on database: inout Database) throws(EngagementError) {
    try database.run(&clearance, .integer(feed))
  }

  /// All rows of a feed; the membership is nil for a damaged row.
  mutating func all(
    in feed: Int64, on database: inout Database
  ) throws(EngagementError) -> [(item: Int64, membership: Membership?)] {
    try database.all(&selection, .integer(feed)) { row in
      var membership = Membership(at: row.integer(4))
      membership.rank = FeedRank(first: row.real(1), second: row.real(2), third: row.real(3))
      membership.expires = row.integer(5)
      let ranks = [row.isNull(1), row.isNull(2), row.isNull(3)]
      let isSound = ListPositions.sound.contains(membership.place) && !ranks.contains(true)
      return (row.integer(0), isSound ? membership : nil)
    }
  }

  /// The items that end after that time, in the vendor's order.
  mutating func visible(
    in feed: Int64, endingAfter time: Int64, on database: inout Database
  ) throws(EngagementError) -> [Int64] {
    try database.all(&visible, .integer(feed), .integer(time)) { $0.integer(0) }
  }

  /// All items, as they were sent.
  mutating func listed(
    in feed: Int64, on database: inout Database
  ) throws(EngagementError) -> [Int64] {
    try database.all(&listed, .integer(feed)) { $0.integer(0) }
  }

  mutating func lists(
    _ item: Int64, in feed: Int64, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(&search, .integer(feed), .integer(item)) { _ in true } ?? false
  }
}

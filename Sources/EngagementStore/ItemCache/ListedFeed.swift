import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// One feed of a source in memory: which items it lists, and where.
struct ListedFeed: Sendable {
  let row: Int64
  let feed: Feed
  /// How many items the vendor says the feed has.
  var total: Int?
  /// When the vendor last spoke of the feed.
  var refreshedAt: Date?
  var lastDelivery: Delivery?
  /// Whether the last complete list had items that could not be read. An item that is missing from
  /// the list may be one of them.
  var hasBadItems = false
  /// The cards as the user saw them last.
  var cards: CachedView<Card>?

  /// Where each item stands, by its row. Empty until the source is indexed.
  private var members: [Int64: Membership] = [:]
  /// The highest place that was given.
  private var lastPlace: Int64?

  init(_ row: Int64, _ feed: Feed, total: Int? = nil, refreshedAt: Date? = nil) {
    self.row = row
    self.feed = feed
    self.total = total
    self.refreshedAt = refreshedAt
  }

  /// A list as a vendor sent it, to tell whether the next one is the same.
  struct Delivery: Hashable, Sendable {
    var mode: ItemMode
    var hashes: [UInt64]
    /// The source's version after this list.
    var version: Int
  }

  /// Where items go that the feed did not list before.
  enum Placing {
    /// Where the list has them: it is the whole feed.
    case asListed
    /// Behind all others.
    case behind
  }

  /// An item that stands elsewhere than before.
  struct Move {
    let row: Int64
    let new: Membership
  }
}

// MARK: Members

extension ListedFeed {
  var isEmpty: Bool { members.isEmpty }
  var count: Int { members.count }

  func membership(of row: Int64) -> Membership? { members[row] }

  func lists(_ row: Int64) -> Bool { members[row] != nil }

  func rows(notIn listed: Set<Int64>) -> Set<Int64> {
    Set(members.keys.filter { !listed.contains($0) })
  }

  /// A place for each row. Rows keep their places where they can.
  func places(for rows: [Int64], placed placing: Placing) -> [Int64] {
    let old = rows.map { members[$0]?.place }
    switch placing {
    case .asListed: return ListPositions.assigned(old)
    case .behind:
      var last = lastPlace
      return old.map { place in
        if let place { return place }
        let behind = ListPositions.behind(last)
        last = behind
        return behind
      }
    }
  }

  /// Reads where the items stand.
  mutating func readMembers(
    from table: inout MembershipTable, on database: inout Database
  ) throws(EngagementError) {
    let found = try table.all(in: row, on: &database)
    members.reserveCapacity(found.count)
    for case (let item, let membership?) in found { note(item, membership) }
    guard members.count < found.count else { return }
    // Rows that are damaged, or of an item that is listed twice, cannot be found by their columns.
    try table.clear(row, on: &database)
    try table.insert(
      members.map { (item: $0.key, membership: $0.value) }, in: row, on: &database)
  }

  /// The items that a complete list leaves out: those that stay, in their order, and the others.
  func rest(
    without listed: Set<Int64>, _ retention: Retention, in items: inout SourceItems,
    from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> (kept: [Int64], dropped: Set<Int64>) {
    var dropped = rows(notIn: listed)
    guard retention.testItems || !retention.ids.isEmpty else { return ([], dropped) }
    var kept: [(row: Int64, place: Int64)] = []
    for row in dropped {
      guard let content = try items.content(of: row, from: &table, on: &database),
        retention.testItems && content.isTest || retention.ids.contains(content.id.value)
      else { continue }
      kept.append((row, membership(of: row)?.place ?? 0))
    }
    dropped.subtract(kept.map(\.row))
    return (kept.sorted { $0.place < $1.place }.map(\.row), dropped)
  }

  /// The items that stand elsewhere than before when these rows are listed in this order.
  func moves(
    of rows: [Int64], placed placing: Placing, _ changed: Set<Int64>,
    in items: inout SourceItems, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> [Move] {
    var moves: [Move] = []
    for (row, place) in zip(rows, places(for: rows, placed: placing)) {
      let old = membership(of: row)
      let isChanged = changed.contains(row)
      if let old, old.place == place, !isChanged { continue }
      var new = old ?? Membership(at: place)
      new.place = place
      if old == nil || isChanged {
        new = try items.membership(of: row, at: place, from: &table, on: &database)
      }
      if old != new { moves.append(Move(row: row, new: new)) }
    }
    return moves
  }

  mutating func apply(
    _ moves: [Move], in table: inout MembershipTable, on database: inout Database
  ) throws(EngagementError) {
    // All deletions come before all insertions: one item may take another's place.
    for move in moves {
      guard let old = members[move.row] else { continue }
      try table.delete(old, in: row, on: &database)
    }
    if members.isEmpty { members.reserveCapacity(moves.count) }
    let moves = moves.sorted { $0.new < $1.new }
    try table.insert(
      moves.map { (item: $0.row, membership: $0.new) }, in: row, on: &database)
    for move in moves { note(move.row, move.new) }
  }

  /// Removes an item; false if the feed does not list it.
  mutating func remove(
    _ item: Int64, in table: inout MembershipTable, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard let membership = members.removeValue(forKey: item) else { return false }
    try table.delete(membership, in: row, on: &database)
    return true
  }

  private mutating func note(_ item: Int64, _ membership: Membership) {
    members[item] = membership
    lastPlace = max(lastPlace ?? .min, membership.place)
  }
}

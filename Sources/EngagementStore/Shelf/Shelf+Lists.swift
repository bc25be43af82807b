import EngagementAdapterAPI
import EngagementModel

extension Shelf {
  /// Where items go that a feed did not list before.
  enum Placing {
    /// Where the list has them: it is the whole feed.
    case asListed
    /// Behind all others.
    case behind
  }

  /// Lists the items in the feed, in their order, and writes what changed in where they stand.
  mutating func list(
    _ rows: [Int64], placed placing: Placing, in name: FeedName, _ changed: Set<Int64>,
    of source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = source.feeds[name] else { return }
    let places = places(for: rows, placed: placing, in: feed)
    var moves: [Move] = []
    for (row, place) in zip(rows, places) {
      let old = feed.members[row]
      let isChanged = changed.contains(row)
      if let old, old.place == place, !isChanged { continue }
      var new = old ?? Membership(at: place)
      new.place = place
      if old == nil || isChanged {
        new = try membership(of: row, at: place, in: &source, on: &database)
      }
      if old != new { moves.append(Move(row: row, new: new)) }
    }
    if !moves.isEmpty || !changed.isEmpty { source.noteChange() }
    try write(&moves, in: name, of: &source, on: &database)
  }

  /// Takes items from the feed; those that are in no feed any more are gone.
  mutating func drop(
    _ rows: Set<Int64>, from name: FeedName, of source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = source.feeds[name]?.row else { return }
    for row in rows {
      guard let membership = source.feeds[name]?.members.removeValue(forKey: row) else { continue }
      try memberships.delete(membership, in: feed, on: &database)
      source.noteChange()
      guard !source.lists(row) else { continue }
      try items.delete(row, on: &database)
      source.index?.forget(row)
      source.contents[row] = nil
    }
  }

  /// Moves items that changed to where they stand now in the other feeds; returns these.
  mutating func relist(
    _ changed: Set<Int64>, in source: inout Source, except name: FeedName,
    on database: inout Database
  ) throws(EngagementError) -> Set<FeedKey> {
    var keys: Set<FeedKey> = []
    guard !changed.isEmpty else { return keys }
    for (other, feed) in source.feeds where other != name {
      let rows = changed.filter { feed.members[$0] != nil }
      guard !rows.isEmpty else { continue }
      keys.insert(FeedKey(source.key.provider, feed.feed))
      try list(
        Array(rows), placed: .behind, in: other, changed, of: &source, on: &database)
    }
    return keys
  }

  private func places(
    for rows: [Int64], placed placing: Placing, in feed: ListedFeed
  ) -> [Int64] {
    let old = rows.map { feed.members[$0]?.place }
    if placing == .asListed { return Places.assigned(old) }
    var last = feed.lastPlace
    return old.map { place in
      if let place { return place }
      let behind = Places.behind(last)
      last = behind
      return behind
    }
  }

  private mutating func membership(
    of row: Int64, at place: Int64, in source: inout Source, on database: inout Database
  ) throws(EngagementError) -> Membership {
    guard let mapper = source.mapper,
      let content = try content(of: row, in: &source, on: &database)
    else { return Membership(at: place) }
    return Membership(content, at: place, in: mapper.order)
  }

  private mutating func write(
    _ moves: inout [Move], in name: FeedName, of source: inout Source, on database: inout Database
  ) throws(EngagementError) {
    guard let feed = source.feeds[name]?.row else { return }
    // All that goes before all that comes: one may take the other's place.
    for move in moves {
      guard let old = source.feeds[name]?.members[move.row] else { continue }
      try memberships.delete(old, in: feed, on: &database)
    }
    moves.sort { $0.new < $1.new }
    if source.feeds[name]?.members.isEmpty == true {
      source.feeds[name]?.members.reserveCapacity(moves.count)
    }
    for move in moves {
      try memberships.insert(move.row, move.new, in: feed, on: &database)
      source.feeds[name]?.note(move.row, move.new)
    }
  }
}

/// An item that stands elsewhere than before.
private struct Move {
  let row: Int64
  let new: Membership
}

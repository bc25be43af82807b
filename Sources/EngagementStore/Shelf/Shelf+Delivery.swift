import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// Takes in a list of items. What is as it was is neither mapped nor written.
  mutating func deliver(
    _ items: [RawItem], _ mode: ItemMode, to feed: FeedName, of source: inout Source,
    at now: Date, to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    var delivery = ListedFeed.Delivery(
      mode: mode, hashes: items.map(\.hash), version: source.version)
    guard source.feeds[feed]?.lastDelivery != delivery else { return }
    var rows: [Int64] = []
    var listed: Set<Int64> = []
    var changed: Set<Int64> = []
    reserve(items.count, mode, in: &source, &rows, &listed)
    if case .replace = mode { source.feeds[feed]?.hasBadItems = false }
    for item in items {
      switch try store(item, mode, in: &source, noting: &changed, on: &database) {
      case .row(let row): if listed.insert(row).inserted { rows.append(row) }
      case .unknown: break
      case .bad(let reason):
        source.feeds[feed]?.hasBadItems = true
        try setAside(item, reason, feed, of: source, at: now, to: &report, on: &database)
      }
    }
    if case .replace(let retention) = mode {
      let left = try leftOut(by: listed, of: feed, in: &source, retention, on: &database)
      rows = left.kept + rows
      try drop(left.dropped, from: feed, of: &source, on: &database)
      try list(rows, placed: .asListed, in: feed, changed, of: &source, on: &database)
    } else {
      try list(rows, placed: .behind, in: feed, changed, of: &source, on: &database)
    }
    report.feeds.formUnion(
      try relist(changed, in: &source, except: feed, on: &database))
    delivery.version = source.version
    source.feeds[feed]?.lastDelivery = delivery
  }

  private func reserve(
    _ count: Int, _ mode: ItemMode, in source: inout Source, _ rows: inout [Int64],
    _ listed: inout Set<Int64>
  ) {
    rows.reserveCapacity(count)
    listed.reserveCapacity(count)
    guard source.contents.isEmpty, source.feeds.values.allSatisfy(\.members.isEmpty) else { return }
    source.contents.reserveCapacity(count)
    source.index?.reserve(count)
  }

  private mutating func setAside(
    _ item: RawItem, _ reason: String, _ feed: FeedName, of source: Source, at now: Date,
    to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    guard let listed = source.feeds[feed] else { return }
    let isNew = try quarantine.add(
      item.hash, at: item.index, of: listed.row, reason, at: now, on: &database)
    guard isNew else { return }
    report.quarantined.append(
      .init(FeedKey(source.key.provider, listed.feed), index: item.index, reason: reason))
  }

  /// What a complete list leaves out, and what of it stays all the same, as it was listed.
  private mutating func leftOut(
    by listed: Set<Int64>, of feed: FeedName, in source: inout Source, _ retention: Retention,
    on database: inout Database
  ) throws(EngagementError) -> (kept: [Int64], dropped: Set<Int64>) {
    guard let members = source.feeds[feed]?.members else { return ([], []) }
    var dropped = Set(members.keys.filter { !listed.contains($0) })
    guard retention.testItems else { return ([], dropped) }
    var kept: [(row: Int64, place: Int64)] = []
    for row in dropped {
      guard try content(of: row, in: &source, on: &database)?.isTest == true else { continue }
      kept.append((row, members[row]?.place ?? 0))
    }
    dropped.subtract(kept.map(\.row))
    return (kept.sorted { $0.place < $1.place }.map(\.row), dropped)
  }
}

public import EngagementAdapterAPI
public import EngagementModel

extension [Card] {
  /// The cards in a vendor's order; equal ones stay as they were sent.
  public func sorted(by order: FeedOrder) -> [Card] {
    stablySorted { $0.rank(in: order) }
  }
}

extension [InboxMessage] {
  /// The messages in a vendor's order; equal ones stay as they were sent.
  public func sorted(by order: FeedOrder) -> [InboxMessage] {
    stablySorted { $0.rank(in: order) }
  }

  /// The messages without those that a later one with the same collapse key replaces. Of two with
  /// the same age the one that was listed first stays, as vendors list the newest first.
  public func collapsed() -> [InboxMessage] {
    var newest: [CollapseKey: Int] = [:]
    newest.reserveCapacity(count)
    var replaced: Set<Int> = []
    for index in indices {
      guard let key = self[index].collapseKey.map(CollapseKey.init) else { continue }
      guard let rival = newest[key] else {
        newest[key] = index
        continue
      }
      let isNewer = self[index].age < self[rival].age
      if isNewer { newest[key] = index }
      replaced.insert(isNewer ? rival : index)
    }
    if replaced.isEmpty { return self }
    return indices.filter { !replaced.contains($0) }.map { self[$0] }
  }
}

private struct CollapseKey: ByteComparable {
  let rawValue: String
}

extension Array {
  /// Swift's sort keeps no promise about equal elements; this one does.
  fileprivate func stablySorted(by rank: (Element) -> FeedRank) -> [Element] {
    let ranks = map(rank)
    if zip(ranks, ranks.dropFirst()).allSatisfy({ $0 <= $1 }) { return self }
    return indices.sorted { left, right in
      ranks[left] == ranks[right] ? left < right : ranks[left] < ranks[right]
    }.map { self[$0] }
  }
}

import EngagementModel
import EngagementPlatform
import EngagementStore

/// Merges the items of several providers. The order is total, so it does not depend on which
/// provider answered first.
enum FeedMerge {
  /// Pinned cards first, then by priority (absent counts as 5), then the latest `activeAt` first,
  /// then by provider and id. Cards without `activeAt` come after those that have it.
  static func cards(_ lists: [[Card]]) -> [Card] {
    merged(lists, id: \.id) { card in
      Rank(
        isLate: !card.isPinned, priority: card.priority ?? 5, age: age(card.activeAt))
    }
  }

  /// The newest first, then by provider and id. Messages without a time come last.
  static func messages(_ lists: [[InboxMessage]]) -> [InboxMessage] {
    merged(lists, id: \.id) { Rank(isLate: false, priority: 0, age: age($0.createdAt)) }
  }

  /// The parts without the items of which a provider before lists a copy too. Copies of one provider
  /// stay.
  ///
  /// - Parameter wholes: The parts without conditions, in the same order: a copy that does not meet
  ///   the conditions stands for its content nevertheless.
  static func withoutCopies<Item>(
    _ parts: [ProviderPart<Item>], of wholes: [ProviderPart<Item>] = []
  ) -> [ProviderPart<Item>] {
    var seen: Set<ContentKey> = []
    seen.reserveCapacity(parts.dropLast().reduce(0) { $0 + $1.view.shown.count })
    func see(_ part: ProviderPart<Item>) {
      for item in part.view.shown { if let key = item.contentKey { seen.insert(key) } }
    }
    var rest: [ProviderPart<Item>] = []
    for (index, part) in parts.enumerated() {
      let left = part.without(seen)
      rest.append(left)
      // Nothing comes behind the last one.
      guard index < parts.count - 1 else { break }
      see(left)
      if wholes.indices.contains(index) { see(wholes[index]) }
    }
    return rest
  }

  private struct Rank: Hashable {
    var isLate: Bool
    var priority: Int
    /// Lower for later.
    var age: Double

    func precedes(_ other: Rank) -> Bool? {
      if isLate != other.isLate { return !isLate }
      if priority != other.priority { return priority < other.priority }
      return age == other.age ? nil : age < other.age
    }
  }

  private static func merged<Item>(
    _ lists: [[Item]], id: (Item) -> ItemID, rank: (Item) -> Rank
  ) -> [Item] {
    lists.joined().map { (item: $0, rank: rank($0)) }
      .sorted { $0.rank.precedes($1.rank) ?? (id($0.item) < id($1.item)) }
      .map(\.item)
  }

  private static func age(_ date: Date?) -> Double {
    guard let seconds = date?.timeIntervalSince1970, !seconds.isNaN else { return .infinity }
    return -seconds
  }
}

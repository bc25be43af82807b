import EngagementModel
import EngagementPlatform

/// Puts the items of several providers in one order: total, so that the same items always come in
/// the same order whichever provider answered first.
enum FeedMerge {
  /// Pinned first; then the most urgent, an absent priority as 5; then the one active last; then
  /// by provider and id. What was never active comes after what was.
  static func cards(_ lists: [[Card]]) -> [Card] {
    merged(lists, id: \.id) { card in
      Rank(
        isLate: !card.isPinned, priority: card.priority ?? 5, age: age(card.activeAt))
    }
  }

  /// The newest first; then by provider and id. What has no time comes last.
  static func messages(_ lists: [[InboxMessage]]) -> [InboxMessage] {
    merged(lists, id: \.id) { Rank(isLate: false, priority: 0, age: age($0.createdAt)) }
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

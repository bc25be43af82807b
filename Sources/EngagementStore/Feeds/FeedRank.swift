import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// An item's rank in a vendor's order: three numbers, compared one after the other. The lowest
/// comes first. Sorting and the index of a feed use the same numbers.
struct FeedRank: Hashable, Comparable, Sendable {
  var first = 0.0
  var second = 0.0
  var third = 0.0

  /// The same for all.
  static let none = FeedRank()

  static func < (left: FeedRank, right: FeedRank) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    return left.third < right.third
  }
}

extension Card {
  func rank(in order: FeedOrder) -> FeedRank {
    switch order {
    case .asSent: .none
    case .newestFirst: FeedRank(first: self.isPinned ? 0 : 1, second: age(self.createdAt))
    case .byPriority:
      FeedRank(
        first: Double(self.priority ?? 5), second: age(self.activeAt), third: age(self.createdAt))
    }
  }
}

extension InboxMessage {
  func rank(in order: FeedOrder) -> FeedRank {
    switch order {
    case .asSent, .byPriority: .none
    case .newestFirst: FeedRank(first: age)
    }
  }

  /// Lower for later messages. A message without a time is the oldest.
  var age: Double { EngagementStore.age(createdAt) }
}

private func age(_ date: Date?) -> Double {
  guard let seconds = date?.timeIntervalSince1970, !seconds.isNaN else { return .infinity }
  return -seconds
}

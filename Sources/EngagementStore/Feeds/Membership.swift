import EngagementAdapterAPI
import EngagementPlatform

/// The place of one item in one feed.
struct Membership: Hashable, Comparable, Sendable {
  var rank = FeedRank.none
  /// Orders items of the same rank as they were sent.
  var place: Int64
  /// When the item ends, in milliseconds, rounded up.
  var expires = Self.never

  static let never = Int64.max

  init(at place: Int64) { self.place = place }

  init(_ content: ItemContent, at place: Int64, in order: FeedOrder) {
    rank = content.rank(in: order)
    self.place = place
    if let end = content.expiresAt { expires = Milliseconds.up(end) }
  }

  static func < (left: Membership, right: Membership) -> Bool {
    left.rank == right.rank ? left.place < right.place : left.rank < right.rank
  }
}

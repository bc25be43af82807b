import EngagementAdapterAPI
import EngagementModel

/// The visible feeds, with their subscription ids on the socket.
struct AtomicSubscriptions {
  /// A subscription to one feed.
  struct Entry {
    let id: String
    let feed: Feed
    let container: ContainerID
    let filters: JSONObject
    /// The key of the feed's entity tag for HTTP.
    let tag: String
    fileprivate var attempts = 1
  }

  private(set) var all: [Entry] = []
  private var count = 0

  /// The number of attempts to subscribe before the socket is closed.
  private static let attempts = 4

  /// Takes the visible feeds. Returns new subscriptions and the ids of ended ones. A feed that
  /// Atomic does not support is left to HTTP, which refuses it with a reason.
  mutating func show(_ feeds: [Feed]) -> (added: [Entry], removed: [String]) {
    let shown = Set(feeds)
    let removed = all.filter { !shown.contains($0.feed) }.map(\.id)
    all.removeAll { !shown.contains($0.feed) }
    var known = Set(all.map(\.feed))
    var added: [Entry] = []
    for feed in feeds where known.insert(feed).inserted {
      guard let entry = entry(for: feed) else { continue }
      added.append(entry)
      all.append(entry)
    }
    return (added, removed)
  }

  /// The subscription with that id.
  func entry(_ id: String) -> Entry? { all.first { $0.id.hasSameBytes(as: id) } }

  /// The subscription with that id, to be tried again; nil after the last attempt.
  mutating func retry(_ id: String) -> Entry? {
    guard let index = all.firstIndex(where: { $0.id.hasSameBytes(as: id) }),
      all[index].attempts < Self.attempts
    else { return nil }
    all[index].attempts += 1
    return all[index]
  }

  /// Resets the attempts for a new connection.
  mutating func forgive() {
    for index in all.indices { all[index].attempts = 1 }
  }

  private mutating func entry(for feed: Feed) -> Entry? {
    guard feed.surface == .cards, let container = feed.container,
      let filters = try? AtomicFilters.json(feed.filters),
      let tag = try? AtomicTag.feed(container, feed.filters)
    else { return nil }
    count += 1
    return Entry(id: "s\(count)", feed: feed, container: container, filters: filters, tag: tag)
  }
}

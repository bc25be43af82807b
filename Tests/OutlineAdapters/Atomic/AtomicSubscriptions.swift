import EngagementAdapterAPI
import EngagementModel

/// The feeds that are shown, under the names that the socket has for them.
struct AtomicSubscriptions {
  /// One feed.
  struct Entry {
    let id: String
    let feed: Feed
    let container: ContainerID
    let filters: JSONObject
    /// The key of the entity tag that HTTP has for the feed.
    let tag: String
    fileprivate var attempts = 1
  }

  private(set) var all: [Entry] = []
  private var count = 0

  /// How often a feed is subscribed to before the socket is given up.
  private static let attempts = 4

  /// Takes the feeds that are shown now, and tells what is new and which names are gone. A feed
  /// that Atomic cannot have is left to HTTP, which refuses it with a reason.
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

  /// The feed of that name.
  func entry(_ id: String) -> Entry? { all.first { $0.id.hasSameBytes(as: id) } }

  /// The feed of that name, to be tried once more; nil where that was enough.
  mutating func retry(_ id: String) -> Entry? {
    guard let index = all.firstIndex(where: { $0.id.hasSameBytes(as: id) }),
      all[index].attempts < Self.attempts
    else { return nil }
    all[index].attempts += 1
    return all[index]
  }

  /// Forgets the attempts: a new connection begins.
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

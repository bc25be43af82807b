import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The name of a feed in the cache: its container and its filters as JSON, in one spelling.
struct FeedName: ByteComparable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }

  init(_ feed: Feed) {
    var writer = JSONWriter()
    writer.beginObject()
    if let container = feed.container { writer.member("container", container.rawValue) }
    if !feed.filters.isEmpty { writer.member("filters", .array(feed.filters.map(\.json))) }
    writer.endObject()
    rawValue = String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The parsed name; nil for a damaged one.
  var json: JSON? {
    var cursor = JSONCursor(Array(rawValue.utf8))
    return try? cursor.json()
  }

  /// The feed of that name; nil if this release does not know its filters.
  func feed(on surface: Surface) -> Feed? {
    guard let json else { return nil }
    var filters: [CardFilter] = []
    for filter in json["filters"]?.array ?? [] {
      guard let filter = try? CardFilter(json: filter) else { return nil }
      filters.append(filter)
    }
    return Feed(surface, in: json["container"]?.string.map(ContainerID.init(_:)), matching: filters)
  }
}

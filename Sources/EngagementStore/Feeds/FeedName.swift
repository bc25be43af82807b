import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// What a feed is called in the cache: its container and its filters as JSON, in one spelling.
struct FeedName: ByteComparable {
  let text: String
  init(_ text: String) { self.text = text }

  init(_ feed: Feed) {
    var writer = JSONWriter()
    writer.beginObject()
    if let container = feed.container { writer.member("container", container.text) }
    if !feed.filters.isEmpty { writer.member("filters", .array(feed.filters.map(\.json))) }
    writer.endObject()
    text = String(decoding: writer.bytes, as: UTF8.self)
  }

  /// What it says; nil where it is damaged.
  var json: JSON? {
    var cursor = JSONCursor(Array(text.utf8))
    return try? cursor.json()
  }

  /// The feed of that name; nil where this release does not understand its filters.
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

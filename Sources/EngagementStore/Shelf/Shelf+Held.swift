import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import FoundationEssentials

extension Shelf {
  /// Everything that vendors sent for a user and what the user did to it, whether it is seen or
  /// not: lists, items once each, marks, and what was set aside.
  mutating func held(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    for (row, provider, surface) in try feedTable.sources(of: partition.id, on: &database) {
      let source = try take(provider, surface, of: partition, on: &database)
      var listing = Listing()
      for feed in try feedTable.feeds(of: row, on: &database) {
        objects.append(feed.held(of: source.key))
        listing.note(feed, try memberships.listed(in: feed.row, on: &database))
        objects += try quarantine.all(of: feed.row, on: &database) { $0.held(in: source.key) }
      }
      let found = try items.all(of: row, on: &database) { source.held($0, in: listing) }
      objects += found.compactMap(\.self)
      objects += source.overlays.sorted { $0.key < $1.key }
        .map { $0.value.held(on: $0.key, of: source.key) }
      put(source)
    }
    return objects
  }
}

/// In which containers the items of a source are.
private struct Listing {
  private var containers: [Int64: Set<String>] = [:]

  mutating func note(_ feed: FeedTable.Found, _ rows: [Int64]) {
    guard let container = feed.name.json?["container"]?.string else { return }
    for row in rows { containers[row, default: []].insert(container) }
  }

  func containers(of row: Int64) -> [String] { (containers[row] ?? []).sorted() }
}

extension Source {
  /// The item as its user has it; nil where its bytes are not what was written. One that nobody
  /// understands any more is there as its vendor sent it.
  fileprivate func held(_ found: ItemTable.Found, in listing: Listing) -> JSONObject? {
    guard let hash = seal.verified(found.body, of: found.name, by: found.seal) else { return nil }
    let containers = listing.containers(of: found.row)
    guard let content = contents[found.row] ?? mapper?.content(of: found.body, hash: hash) else {
      return ObjectEncoder([
        "kind": "item", "provider": key.provider, "surface": key.surface,
        "id": String(decoding: found.name, as: UTF8.self), "containers": containers,
        "body": (try? JSON(parsing: found.body))
          ?? JSON.string(String(decoding: found.body, as: UTF8.self)),
      ]).object
    }
    var object = held(content, in: containers.first)
    if containers.count > 1 { object["containers"] = .array(containers.map { .string($0) }) }
    return object
  }

  private func held(_ content: Content, in container: String?) -> JSONObject {
    let overlay = overlays[content.name]
    switch content {
    case .card(var card):
      card.container = card.container ?? container.map { ContainerID($0) }
      return (overlay?.applied(to: card) ?? card).json.held("card")
    case .message(let message):
      return (overlay?.applied(to: message) ?? message).json.held("message")
    case .campaign(let campaign): return campaign.json.held("campaign")
    }
  }
}

extension FeedTable.Found {
  fileprivate func held(of source: SourceKey) -> JSONObject {
    let json = name.json
    return ObjectEncoder([
      "kind": "feed", "provider": source.provider, "surface": source.surface,
      "container": json?["container"], "filters": json?["filters"], "total": total,
      "refreshedAt": refreshed,
    ]).object
  }
}

extension QuarantineTable.Found {
  fileprivate func held(in source: SourceKey) -> JSONObject {
    ObjectEncoder([
      "kind": "quarantined", "provider": source.provider, "surface": source.surface,
      "index": place, "reason": reason, "at": at,
    ]).object
  }
}

extension Overlay {
  fileprivate func held(on name: ItemName, of source: SourceKey) -> JSONObject {
    ObjectEncoder([
      "kind": "overlay", "provider": source.provider, "surface": source.surface, "id": name.text,
      "marks": marks.map(\.rawValue).sorted(), "snoozedUntil": snoozedUntil, "endsAt": endsAt,
    ]).object
  }
}

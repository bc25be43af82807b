import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

extension ItemSource {
  /// Everything that the vendor sent and what the user did to it, visible or not: feeds, items once
  /// each, overlays and quarantined items.
  func held(
    in row: Int64, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    var containers = ItemContainers()
    for feed in try tables.feeds.feeds(of: row, on: &database) {
      objects.append(feed.held(of: key))
      containers.note(feed, try tables.memberships.listed(in: feed.row, on: &database))
      objects += try tables.quarantine.all(of: feed.row, on: &database) { $0.held(in: key) }
    }
    let items = try tables.items.all(of: row, on: &database) { held($0, in: containers) }
    objects += items.compactMap(\.self)
    objects += overlaysInOrder.map { $0.overlay.held(on: $0.name, of: key) }
    return objects
  }

  /// The item as the user has it; nil if its bytes differ from their checksum. An item that its
  /// adapter does not understand any more comes as the vendor sent it.
  private func held(_ found: ItemTable.Found, in containers: ItemContainers) -> JSONObject? {
    guard let (_, content) = verified(found) else { return nil }
    let containers = containers[found.row]
    guard let content else {
      return ObjectEncoder([
        "record": "item", "provider": key.provider, "surface": key.surface,
        "id": String(decoding: found.name, as: UTF8.self), "containers": containers,
        "body": (try? JSON(parsing: found.body))
          ?? JSON.string(String(decoding: found.body, as: UTF8.self)),
      ]).object
    }
    var object = held(content, in: containers.first)
    if containers.count > 1 { object["containers"] = .array(containers.map { .string($0) }) }
    return object
  }

  private func held(_ content: ItemContent, in container: String?) -> JSONObject {
    let overlay = overlay(of: content.id, content.contentKey)
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

/// The containers of a source's items.
private struct ItemContainers {
  private var containers: [Int64: Set<String>] = [:]

  mutating func note(_ feed: FeedTable.Found, _ rows: [Int64]) {
    guard let container = feed.name.json?["container"]?.string else { return }
    for row in rows { containers[row, default: []].insert(container) }
  }

  subscript(_ row: Int64) -> [String] { (containers[row] ?? []).sorted() }
}

extension FeedTable.Found {
  fileprivate func held(of source: ItemSourceKey) -> JSONObject {
    let json = name.json
    return ObjectEncoder([
      "record": "feed", "provider": source.provider, "surface": source.surface,
      "container": json?["container"], "filters": json?["filters"], "total": total,
      "refreshedAt": refreshed,
    ]).object
  }
}

extension QuarantineTable.Found {
  fileprivate func held(in source: ItemSourceKey) -> JSONObject {
    ObjectEncoder([
      "record": "quarantined", "provider": source.provider, "surface": source.surface,
      "index": place, "reason": reason, "at": at,
    ]).object
  }
}

extension Overlay {
  fileprivate func held(on name: ItemKey, of source: ItemSourceKey) -> JSONObject {
    ObjectEncoder([
      "record": "overlay", "provider": source.provider, "surface": source.surface,
      "id": name.rawValue,
      "marks": marks.map(\.rawValue).sorted(), "snoozedUntil": snoozedUntil, "endsAt": endsAt,
    ]).object
  }
}

import EngagementJSON
import EngagementModel

/// The names of events, attributes and products that the vendor refuses.
struct BrazeBlocklists: Hashable {
  private(set) var events: [String] = []
  private(set) var attributes: [String] = []
  private(set) var products: [String] = []

  /// More names than any dashboard has, and few enough for a linear search.
  private static let mostNames = 1_000

  /// Reads the lists from the vendor's settings.
  init(_ config: JSONFields) {
    events = Self.names(config.strings("events_blacklist"))
    attributes = Self.names(config.strings("attributes_blacklist"))
    products = Self.names(config.strings("purchases_blacklist"))
  }

  /// Reads the lists from their stored text.
  init(_ text: String?) {
    guard let text, let kept = try? JSON(parsing: Array(text.utf8)) else { return }
    events = Self.names(kept["events"])
    attributes = Self.names(kept["attributes"])
    products = Self.names(kept["products"])
  }

  /// The stored text; nil if nothing is blocked.
  var text: String? {
    guard self != BrazeBlocklists(nil) else { return nil }
    let json: JSON = [
      "events": .array(events.map(JSON.string)),
      "attributes": .array(attributes.map(JSON.string)),
      "products": .array(products.map(JSON.string)),
    ]
    return String(decoding: json.encoded(), as: UTF8.self)
  }

  /// Whether the vendor refuses the event.
  func block(_ event: EngagementEvent) -> Bool {
    guard let name = event.name else { return false }
    switch event.kind {
    case .custom: return events.contains { $0.hasSameBytes(as: name) }
    case .purchase: return products.contains { $0.hasSameBytes(as: name) }
    default: return false
    }
  }

  /// The members without the blocked ones.
  func allowed(_ members: JSONObject) -> JSONObject {
    JSONObject(
      uniqueMembers: members.members.filter { member in
        !attributes.contains { $0.hasSameBytes(as: member.key) }
      })
  }

  private static func names(_ names: [String]?) -> [String] {
    Array((names ?? []).prefix(mostNames))
  }

  private static func names(_ json: JSON?) -> [String] {
    names(json?.array?.compactMap(\.string))
  }
}

import EngagementModel

/// What the clients make of names and values before they send them, so that the vendor never meets
/// anything beyond. Lengths are in UTF-16 units, as both clients count them.
struct CleverTapServerLimits: Sendable {
  private static let keyLength = 120
  private static let depth = 3
  private static let listLength = 100
  private static let memberCount = 100
  private static let chargedItems = 50

  /// The iOS client lets names of events and values be longer.
  private let textLength: Int

  init(isAndroid: Bool) { textLength = isAndroid ? 512 : 1_024 }

  /// What is wrong with an event; nil for a clean one.
  func fault(inEvent name: String, _ data: JSONObject) -> String? {
    if name.utf16.count > textLength { return "the name of an event is too long" }
    if name.unicodeScalars.contains(where: { ".:$'\"\\".unicodeScalars.contains($0) }) {
      return "the name of an event has a character that is not allowed"
    }
    if name == "Charged", (data["Items"]?.array?.count ?? 0) > Self.chargedItems {
      return "a charge has too many items"
    }
    return fault(in: data, depth: 1)
  }

  /// What is wrong with the members of a profile or of an event.
  func fault(in object: JSONObject, depth: Int = 1) -> String? {
    if depth > Self.depth { return "the members are nested too deep" }
    if object.count > Self.memberCount { return "there are too many members" }
    for member in object.members {
      let isCommand = CleverTapCommand(rawValue: member.key) != nil
      if member.key.utf16.count > Self.keyLength { return "a key is too long" }
      let isForbidden = member.key.unicodeScalars.contains {
        ":$'\"\\".unicodeScalars.contains($0)
      }
      if isForbidden, !isCommand { return "a key has a character that is not allowed" }
      if let fault = fault(inValue: member.value, depth: isCommand ? depth - 1 : depth) {
        return fault
      }
    }
    return nil
  }

  private func fault(inValue value: JSON, depth: Int) -> String? {
    if value == .null { return "a value is null" }
    if let text = value.string {
      if text.utf16.count > textLength { return "a value is too long" }
      let isForbidden = text.unicodeScalars.contains { "'\"\\".unicodeScalars.contains($0) }
      return isForbidden ? "a value has a character that is not allowed" : nil
    }
    if let list = value.array {
      if list.count > Self.listLength { return "a list is too long" }
      return list.lazy.compactMap { fault(inValue: $0, depth: depth) }.first
    }
    return value.object.flatMap { fault(in: $0, depth: depth + 1) }
  }
}

import EngagementModel

/// What the clients make of names and values before they send them, so that the vendor never meets
/// anything beyond. Lengths are in UTF-16 units, as both clients count them.
struct CleverTapServerLimits: Sendable {
  private static let keyLength = 120
  private static let listLength = 100

  /// The iOS client lets names of events and values be longer.
  private let textLength: Int

  init(isAndroid: Bool) { textLength = isAndroid ? 512 : 1_024 }

  /// What is wrong with an event; nil for a clean one.
  func fault(inEvent name: String, _ data: JSONObject) -> String? {
    if name.utf16.count > textLength { return "the name of an event is too long" }
    if name.unicodeScalars.contains(where: { ".:$'\"\\".unicodeScalars.contains($0) }) {
      return "the name of an event has a character that is not allowed"
    }
    return fault(in: data)
  }

  /// What is wrong with the members of a profile or of an event.
  func fault(in object: JSONObject) -> String? {
    for member in object.members {
      let isCommand = CleverTapCommand(rawValue: member.key) != nil
      if member.key.utf16.count > Self.keyLength { return "a key is too long" }
      let isForbidden = member.key.unicodeScalars.contains {
        ":$'\"\\".unicodeScalars.contains($0)
      }
      if isForbidden, !isCommand { return "a key has a character that is not allowed" }
      if let fault = fault(inValue: member.value) { return fault }
    }
    return nil
  }

  private func fault(inValue value: JSON) -> String? {
    if value == .null { return "a value is null" }
    if let text = value.string {
      if text.utf16.count > textLength { return "a value is too long" }
      let isForbidden = text.unicodeScalars.contains { "'\"\\".unicodeScalars.contains($0) }
      return isForbidden ? "a value has a character that is not allowed" : nil
    }
    if let list = value.array {
      if list.count > Self.listLength { return "a list is too long" }
      return list.lazy.compactMap { fault(inValue: $0) }.first
    }
    return value.object.flatMap { fault(in: $0) }
  }
}

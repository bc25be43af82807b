import EngagementKit
import EngagementModel
import EngagementVendors

/// What the cache knows of an item as a copy of one content of several vendors.
struct ItemCopies: Sendable {
  private var key: String?
  private var copies: [Copy] = []
  /// Why the item has no key; nil if it has one, or if its provider has no content key.
  private var absence: String?

  private struct Copy: Sendable {
    let id: ItemID
    let surface: Engagement.Surface
    let isShown: Bool
  }

  /// - Parameter shownOn: The surface that shows the item, cards or inbox.
  init(
    of item: ItemID, on shownOn: Engagement.Surface, _ engagement: Engagement,
    _ configuration: EngageConfiguration
  ) async throws {
    guard configuration.providers.contains(where: { $0.contentKey != nil }) else { return }
    let records = try await engagement.exportData(of: engagement.user)
      .filter { $0["record"] == "contentCopy" }
    let isMessage = try engagement.isBridged(item.provider, on: shownOn) == (shownOn == .cards)
    let own = records.first { Self.id(in: $0) == item && Self.isMessage($0) == isMessage }
    key = own?["key"]?.string
    guard let key else {
      let source = configuration.providers.first { $0.id == item.provider }?.contentKey
      absence = source?.absence(from: isMessage)
      return
    }
    let shown = Self.shown(by: engagement, configuration)
    for record in records where record["key"] == .string(key) {
      guard let id = Self.id(in: record), id != item || Self.isMessage(record) != isMessage
      else { continue }
      copies.append(
        Copy(
          id: id, surface: Self.isMessage(record) ? .inbox : .cards,
          isShown: shown.contains(id)))
    }
  }

  /// The cards and messages that are seen.
  private static func shown(
    by engagement: Engagement, _ configuration: EngageConfiguration
  ) -> Set<ItemID> {
    let cards = CardFinder(engagement: engagement, configuration: configuration).all()
    return Set(cards.map(\.id)).union(engagement.inbox.messages.map(\.id))
  }

  private static func id(in record: JSONObject) -> ItemID? {
    guard let provider = record["provider"]?.string, let id = record["id"]?.string else {
      return nil
    }
    return ItemID(ProviderID(provider), id)
  }

  private static func isMessage(_ record: JSONObject) -> Bool { record["surface"] == "inbox" }

  /// Why an item is not seen that is a copy of a content; nil if the text means no such item.
  static func explanation(
    of text: String, _ finder: ItemFinder, _ engagement: Engagement,
    _ configuration: EngageConfiguration
  ) async throws -> String? {
    let records = try await engagement.exportData(of: engagement.user)
      .filter { $0["record"] == "contentCopy" }
    let hidden = Set(records.compactMap(Self.id)).map { HiddenCopy(id: $0) }
    guard let item = try? finder.item(text, among: hidden) else { return nil }
    let keys = records.filter { id(in: $0) == item.id }.compactMap { $0["key"]?.string }
    let shown = shown(by: engagement, configuration)
    let copies = records.filter { record in
      record["key"]?.string.map { keys.contains($0) } == true
    }
    guard let copy = copies.compactMap(Self.id).first(where: shown.contains) else { return nil }
    let (hiddenID, shownID) = (ShortIDs.text(of: item.id), ShortIDs.text(of: copy))
    return "\(hiddenID) is hidden, since its copy \(shownID) is shown; see that one."
  }

  private struct HiddenCopy: Identifiable { let id: ItemID }

  var object: JSONObject {
    guard let key else { return [:] }
    return [
      "contentKey": .string(key),
      "copies": .array(
        copies.map { copy in
          [
            "provider": .string(copy.id.provider.rawValue), "id": .string(copy.id.value),
            "surface": .string(copy.surface.rawValue), "isHidden": .bool(!copy.isShown),
          ]
        }),
    ]
  }

  /// The same for people.
  var fields: JSONObject {
    guard let key else { return absence.map { ["contentKey": .string($0)] } ?? [:] }
    let words = copies.map { copy in
      let notes = [copy.surface == .inbox ? "message" : nil, copy.isShown ? nil : "hidden"]
        .compactMap(\.self)
      return "\(copy.id)" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }
    return [
      "contentKey": .string(key),
      "copies": .string(words.isEmpty ? "none" : words.joined(separator: ", ")),
    ]
  }
}

extension ContentKeySource {
  /// Why an item has no key.
  fileprivate func absence(from isMessage: Bool) -> String {
    switch self {
    case .extra(let name):
      isMessage
        ? "none: its custom data have no text \"\(name)\""
        : "none: its extras and metadata have no text \"\(name)\""
    case .campaign: "none: its vendor does not tell the campaign"
    case .fingerprint: "none: it has no title, text, image and target"
    }
  }
}

extension JSONObject {
  func adding(_ others: JSONObject) -> JSONObject {
    var object = self
    for member in others.members { object[member.key] = member.value }
    return object
  }
}

import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static func showCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "show"], summary: "show everything about one card",
      discussion: """
        Where its provider has a content key in engage.json, "contentKey" is the digest of the card's,
        and "copies" are the items of the same content that vendors list: hidden ones are shown nowhere
        while a copy before them in the route is.
        """,
      arguments: [cardID],
      examples: [
        Example("engage cards show \(example.full)", "one card"),
        Example("engage cards show \(example.id) --json", "the same for a program"),
      ],
      run: { invocation in
        let configuration = try invocation.configuration()
        let text = try invocation.argument()
        let (card, copies) = try await invocation.reading(configuration) { engagement in
          let card = try await invocation.card(text, of: engagement, configuration)
          return (card, try await CardCopies(of: card, engagement, configuration))
        }
        let object = card.json.object ?? [:]
        try invocation.console.object(object.adding(copies.object))
        try invocation.console.fields(object.adding(copies.fields))
        return .done
      })
  }
}

/// What the cache knows of a card as a copy of one content of several vendors.
private struct CardCopies: Sendable {
  private var key: String?
  private var copies: [Copy] = []

  private struct Copy: Sendable {
    let id: ItemID
    let surface: Engagement.Surface
    let isShown: Bool
  }

  init(
    of card: Card, _ engagement: Engagement, _ configuration: EngageConfiguration
  ) async throws {
    guard configuration.providers.contains(where: { $0.contentKey != nil }) else { return }
    let records = try await engagement.exportData(of: engagement.user)
      .filter { $0["record"] == "contentCopy" }
    let isMessage = try engagement.isBridged(card.id.provider, on: .cards)
    let own = records.first { Self.id(in: $0) == card.id && Self.isMessage($0) == isMessage }
    key = own?["key"]?.string
    guard let key else { return }
    let cards = Set(
      CardFinder(engagement: engagement, configuration: configuration).all().map(\.id))
    let messages = Set(engagement.inbox.messages.map(\.id))
    for record in records where record["key"] == .string(key) {
      guard let id = Self.id(in: record),
        id != card.id || Self.isMessage(record) != isMessage
      else { continue }
      copies.append(
        Copy(
          id: id, surface: Self.isMessage(record) ? .inbox : .cards,
          isShown: cards.contains(id) || messages.contains(id)))
    }
  }

  private static func id(in record: JSONObject) -> ItemID? {
    guard let provider = record["provider"]?.string, let id = record["id"]?.string else {
      return nil
    }
    return ItemID(ProviderID(provider), id)
  }

  private static func isMessage(_ record: JSONObject) -> Bool { record["surface"] == "inbox" }

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
    guard let key else { return [:] }
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

extension JSONObject {
  fileprivate func adding(_ others: JSONObject) -> JSONObject {
    var object = self
    for member in others.members { object[member.key] = member.value }
    return object
  }
}

extension Console {
  /// Prints an object for people, a member a line.
  func fields(_ object: JSONObject) throws(OutputError) {
    let width = object.members.reduce(0) { max($0, DisplayWidth.of($1.key)) }
    for member in object.members {
      let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(member.key)))
      try line("\(member.key, .faint)\(space)  \(Self.text(of: member.value))")
    }
  }

  /// A value as a command takes it: as people read it, but true and false.
  static func argument(_ value: JSON) -> String { value.bool.map { "\($0)" } ?? text(of: value) }

  /// A value as people read it: text without quotes, anything deeper as JSON.
  static func text(of value: JSON) -> String {
    switch value {
    case .string(let text): text
    case .bool(let bool): bool ? "yes" : "no"
    case .null, .integer, .number, .array, .object:
      String(decoding: value.encoded(), as: UTF8.self)
    }
  }
}

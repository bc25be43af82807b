import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static func showCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "show"], summary: "show everything about one card",
      discussion: """
        Where its provider has a contentKey in engage.json, "contentKey" is the digest of the card's, or
        says why it has none, and "copies" are the items of the same content that vendors list: hidden
        ones are shown nowhere while a copy before them in the route is.
        """,
      arguments: [cardID],
      examples: [
        Example("engage cards show \(example.full)", "everything about it"),
        Example("engage cards show \(example.id) --json", "the same for a program"),
      ],
      run: { invocation in
        let configuration = try invocation.configuration()
        let text = try invocation.argument()
        let (card, copies) = try await invocation.reading(configuration) { engagement in
          let card = try await invocation.card(text, of: engagement, configuration)
          return (card, try await ItemCopies(of: card.id, on: .cards, engagement, configuration))
        }
        let object = card.json.object ?? [:]
        try invocation.console.object(object.adding(copies.object))
        try invocation.console.fields(object.adding(copies.fields))
        return .done
      })
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

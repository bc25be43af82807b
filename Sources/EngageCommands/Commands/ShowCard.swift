import EngagementJSON
import EngagementModel
import EngagementVendors

extension Command {
  static func showCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "show"], summary: "show everything about one card",
      arguments: [cardID],
      examples: [
        Example("engage cards show \(example.full)", "one card"),
        Example("engage cards show \(example.id) --json", "the same for a program"),
      ],
      run: { invocation in
        let configuration = try invocation.configuration()
        let text = try invocation.argument()
        let card = try await invocation.reading(configuration) { engagement in
          try await invocation.card(text, of: engagement, configuration)
        }
        let object = card.json.object ?? [:]
        try invocation.console.object(object)
        try invocation.console.fields(object)
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

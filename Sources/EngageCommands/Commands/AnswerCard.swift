import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  private static let button = Option(
    "button", value: "NAME",
    "the card's button, by its name or its text; its own values are sent too")
  private static let reason = Option(
    "reason", value: "REASON", "why the card is not useful",
    choices: [ItemAction.VoteReason.notRelevant, .tooOften, .other].map(\.rawValue))
  private static let message = Option(
    "message", value: "TEXT", "more about it, with the reason other")

  /// The actions of cards that ask for an answer of their user.
  static func cardAnswers(_ vendors: [VendorRegistration]) -> [Command] {
    [
      submitCard(vendors.exampleCard(for: "submit")),
      snoozeCard(vendors.exampleCard(for: "snooze")),
      voteOnCard(vendors.exampleCard(for: "vote")),
    ]
  }

  private static func submitCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "submit"], summary: "submit a card with the values of its form",
      discussion: """
        A value is a number where it looks like one, true or false, and else text; 'zip="04109"' keeps
        digits text. What is given here goes before a default of the form and a value of the button. A
        value that the card's form does not have is refused, and so is one that an input does not take.
        A card without a form takes any value, and its vendor decides.

        The value of a file input is the path of a JPEG or PNG file of at most 10 MB, which is sent
        before the form.
        \(waiting)
        """,
      arguments: [
        cardID,
        Argument(
          name: "KEY=VALUE", help: "a value of the form", isOptional: true, repeats: true),
      ],
      options: [button],
      examples: [
        Example("engage cards submit \(example.full) --button Book guests=2", "with a button"),
        Example("engage cards submit \(example.id) guests=2 --json", "for a program"),
      ], isInterruptible: true,
      run: { invocation in
        let name = invocation.value(button)
        _ = try invocation.properties(from: 1)
        let given = try invocation.assignments(from: 1)
        return try await act(invocation) { engagement, card in
          let button = try name.map { try card.submitButton(named: $0) } ?? .nameless
          let form = try card.form(of: button, with: given) { try invocation.bytes(of: $0) }
          let receipt = try await engagement.submit(form, by: button, on: card)
          return (try form.submission(by: button), receipt)
        }
      })
  }

  private static func snoozeCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "snooze"], summary: "hide a card for a while",
      discussion: waiting,
      arguments: [
        cardID, Argument(name: "TIME", help: "90s, 30m, 1h, 2d, PT1H, or a number of seconds"),
      ],
      options: [propagation],
      examples: [
        Example("engage cards snooze \(example.full) 1h", "for an hour"),
        Example("engage cards snooze \(example.id) PT2H30M --json", "the same for a program"),
      ], isInterruptible: true,
      run: { invocation in
        let text = try invocation.argument(1)
        guard let seconds = snoozeSeconds(text) else {
          throw invocation.usage(
            "\"\(text)\" is no time to snooze, which is from 1 second to 100 years, such as 30m, 1h or "
              + "PT1H.")
        }
        return try await act(invocation) { _ in .snooze(seconds: seconds) }
      })
  }

  private static func voteOnCard(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["cards", "vote"], summary: "say whether a card is useful",
      discussion: waiting,
      arguments: [
        cardID, Argument(name: "VOTE", help: "up or down", choices: ["up", "down"]),
      ],
      options: [reason, message, propagation],
      examples: [
        Example("engage cards vote \(example.full) up", "it is useful"),
        Example("engage cards vote \(example.id) down --reason too-often", "it is not, and why"),
      ], isInterruptible: true,
      run: { invocation in
        let isUseful = try invocation.argument(1) == "up"
        let (why, text) = (invocation.value(reason), invocation.value(message))
        if isUseful, why != nil || text != nil {
          throw invocation.usage("--reason and --message go with down.")
        }
        if text != nil, why != ItemAction.VoteReason.other.rawValue {
          throw invocation.usage("--message goes with --reason other.")
        }
        return try await act(invocation) { _ in
          .vote(
            useful: isUseful, reason: why.map(ItemAction.VoteReason.init(rawValue:)), message: text)
        }
      })
  }

  /// A number of seconds, a number with its unit, or a duration of ISO 8601; nil for anything else and
  /// for what is no time or longer than 100 years.
  static func snoozeSeconds(_ text: String) -> Int? {
    let units = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    let longest = 3_155_760_000
    if let duration = ISO8601.duration(from: text) {
      let seconds = Int(exactly: duration.components.seconds)
      return seconds.flatMap { (1...longest).contains($0) ? $0 : nil }
    }
    let unit = text.last.flatMap { units[String($0)] }
    let digits = unit == nil ? text : String(text.dropLast())
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
      (1...longest / (unit ?? 1)).contains(number)
    else { return nil }
    return number * (unit ?? 1)
  }
}

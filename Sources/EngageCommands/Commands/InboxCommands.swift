import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage inbox`.
  static func inbox(_ vendors: [VendorRegistration]) -> [Command] {
    let example = vendors.exampleMessage
    return [listMessages, showMessage(example)] + messageActions(example)
  }

  private static let messageID = Argument(
    name: "ID", help: "PROVIDER/ID, or a unique prefix of 4 characters or more")
  private static let end = Option(
    "at", value: "TIME", "when the message ends, such as 2026-12-24T18:00:00Z (default now)")

  // MARK: What there is

  private static let listMessages = Command(
    name: ["inbox", "list"], summary: "show the messages that are in the cache",
    discussion: "No vendor is asked; run \"engage sync\" to refresh.",
    examples: [
      Example("engage inbox", "the inbox, newest first"),
      Example("engage inbox --json", "the same for a program"),
    ], isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      guard CacheFile(configuration.cache).wasMade else {
        invocation.console.note("The cache is empty; run \"engage sync\".")
        return .done
      }
      let feed = try await invocation.looking(configuration) {
        (reader) throws(EngagementError) in try reader.inbox()
      }
      try InboxTable.print(feed, on: invocation.console)
      return .done
    })

  private static func showMessage(_ example: (id: String, full: String)) -> Command {
    Command(
      name: ["inbox", "show"], summary: "show everything about one message",
      discussion: """
        Where its provider has a contentKey in engage.json, "contentKey" and "copies" are there too, as
        in "engage cards show".
        """,
      arguments: [messageID],
      examples: [
        Example("engage inbox show \(example.full)", "one message"),
        Example("engage inbox show \(example.id) --json", "the same for a program"),
      ],
      run: { invocation in
        let configuration = try invocation.configuration()
        let text = try invocation.argument()
        let (message, copies) = try await invocation.reading(configuration) { engagement in
          let message = try find(text, in: engagement, configuration)
          return (
            message, try await ItemCopies(of: message.id, on: .inbox, engagement, configuration)
          )
        }
        let object = message.json.object ?? [:]
        try invocation.console.object(object.adding(copies.object))
        try invocation.console.fields(object.adding(copies.fields))
        return .done
      })
  }

  private static let confirmation = Option("yes", letter: "y", "confirm; this cannot be undone")

  // MARK: What is done to one

  private static func messageActions(_ example: (id: String, full: String)) -> [Command] {
    [
      action(
        "open", "tell the vendor that a message was opened",
        "Opening is counted, and the message counts as read here. \"engage inbox read\" tells the vendor so.",
        Example("engage inbox open \(example.full)", "one message"), example.id
      ) { _ in .open },
      action(
        "read", "mark a message as read", "",
        Example("engage inbox read \(example.full)", "one message"), example.id
      ) { _ in .read },
      action(
        "expire", "expire a message, now or at a given time",
        "A message that has ended is shown no more.",
        Example(
          "engage inbox expire \(example.id) --at 2026-12-24T18:00:00Z", "at a given time"),
        example.id, options: [end], expiry),
      action(
        "delete", "delete a message",
        "It asks first; without a terminal it needs --yes. The event log has it as \"expire\".",
        Example("engage inbox delete \(example.full) --yes", "one message"), example.id,
        options: [confirmation]
      ) {
        try $0.confirm("Deleting cannot be undone", by: confirmation)
        return .delete
      },
    ]
  }

  private static func expiry(_ invocation: Invocation) throws -> ItemAction {
    guard let text = invocation.value(end) else { return .expire(at: nil) }
    guard let date = ISO8601.date(from: text) else {
      throw invocation.usage(
        "--at takes a time of ISO 8601 with its zone, such as 2026-12-24T18:00:00Z, not \"\(text)\"."
      )
    }
    return .expire(at: date)
  }

  private static func action(
    _ verb: String, _ summary: String, _ discussion: String, _ example: Example,
    _ id: String, options: [Option] = [],
    _ action: @escaping @Sendable (Invocation) throws -> ItemAction
  ) -> Command {
    let waiting =
      "An accepted action survives a kill. The command waits up to 5 seconds and prints delivered or\n"
      + "pending; pending actions are sent by the next command that reaches the vendor.\n"
      + "Of a card that is shown as a message, read is an impression, open a click, and expire and\n"
      + "delete are a dismissal."
    return Command(
      name: ["inbox", verb], summary: summary,
      discussion: discussion.isEmpty ? waiting : "\(discussion)\n\(waiting)",
      arguments: [messageID], options: options + [propagation],
      examples: [
        example, Example("engage inbox \(verb) \(id) --json", "one message, for a program"),
      ], isInterruptible: true,
      run: { try await act(try action($0), $0) })
  }

  private static func act(
    _ action: ItemAction, _ invocation: Invocation
  ) async throws -> ExitStatus {
    let configuration = try invocation.configuration()
    let text = try invocation.argument()
    return try await invocation.delivering(configuration) { engagement in
      let message = try find(text, in: engagement, configuration)
      let receipt = try await engagement.perform(
        action, on: message, propagate: invocation.has(propagation))
      return try await invocation.conclude(
        receipt, of: engagement, "\(action.name) \(ShortIDs.text(of: message.id))",
        message.id.object(with: ["action": .string(action.name)]),
        isPropagated: invocation.has(propagation))
    }
  }

  private static func find(
    _ text: String, in engagement: Engagement, _ configuration: EngageConfiguration
  ) throws(EngagementError) -> InboxMessage {
    try ItemFinder(noun: "message", list: "engage inbox list", configuration)
      .item(text, among: engagement.inbox.messages)
  }
}

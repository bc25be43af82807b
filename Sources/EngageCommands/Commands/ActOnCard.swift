import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static func cardActions(_ example: (id: String, full: String)) -> [Command] {
    [
      action(
        .impression, "count a card as seen, control cards too",
        "An application counts by itself: half of a card visible for a second.", example),
      action(.click, "click a card", "", example),
      action(.dismiss, "dismiss a card permanently", "", example),
    ]
  }

  private static func action(
    _ action: ItemAction, _ summary: String, _ discussion: String,
    _ example: (id: String, full: String)
  ) -> Command {
    Command(
      name: ["cards", action.name], summary: summary,
      discussion: discussion.isEmpty ? waiting : "\(discussion)\n\(waiting)",
      arguments: [cardID], options: [propagation],
      examples: [
        Example("engage cards \(action.name) \(example.full)", "\(summary.prefix { $0 != "," })"),
        Example("engage cards \(action.name) \(example.id) --json", "the same for a program"),
      ], isInterruptible: true,
      run: { invocation in try await act(invocation) { _ in action } })
  }

  /// An option of every action on an item.
  static let propagation = Option(
    "propagate", "tell the vendors of the other copies of its content as well")

  /// What help says of every action on a card.
  static let waiting =
    "An accepted action survives a kill. The command waits up to 5 seconds and prints delivered or\n"
    + "pending; pending actions are sent by the next command that reaches the vendor."

  /// Does something to the card that the first argument means.
  static func act(
    _ invocation: Invocation,
    _ action: @escaping @Sendable (Card) throws(EngagementError) -> ItemAction
  ) async throws -> ExitStatus {
    try await act(invocation) { engagement, card in
      let action = try action(card)
      let propagates = invocation.has(propagation)
      return (action, try await engagement.perform(action, on: card, propagate: propagates))
    }
  }

  /// Does something to the card that the first argument means, by the closure.
  static func act(
    _ invocation: Invocation,
    by perform:
      @escaping @Sendable (Engagement, Card) async throws -> (
        ItemAction, Engagement.Receipt
      )
  ) async throws -> ExitStatus {
    let configuration = try invocation.configuration()
    let text = try invocation.argument()
    return try await invocation.delivering(configuration) { engagement in
      let card = try await invocation.card(text, of: engagement, configuration)
      let (action, receipt) = try await perform(engagement, card)
      if let note = card.note(onUnoffered: action) { invocation.console.note("\(note)") }
      return try await invocation.conclude(
        receipt, of: engagement, "\(action.name) \(ShortIDs.text(of: card.id))",
        card.id.object(with: ["action": .string(action.name)]),
        isPropagated: invocation.has(propagation))
    }
  }
}

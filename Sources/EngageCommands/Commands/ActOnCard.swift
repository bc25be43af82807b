import EngagementKit
import EngagementModel

extension Command {
  static let cardImpression = action(
    .impression, "count a card as seen, control cards too",
    "An application counts by itself: half of a card visible for a second.")
  static let clickCard = action(.click, "click a card", "")
  static let dismissCard = action(.dismiss, "dismiss a card for good", "")

  private static func action(
    _ action: ItemAction, _ summary: String, _ discussion: String
  ) -> Command {
    let waiting =
      "What is accepted survives a kill. The command waits up to 5 seconds and prints delivered or\n"
      + "pending; what is pending goes out with the next command that reaches the vendor."
    return Command(
      name: ["cards", action.name], summary: summary,
      discussion: discussion.isEmpty ? waiting : "\(discussion)\n\(waiting)",
      arguments: [cardID],
      examples: [
        Example("engage cards \(action.name) braze/card-1", "one card"),
        Example("engage cards \(action.name) card-1 --json", "the same for a program"),
      ], isInterruptible: true,
      run: { try await act(action, $0) })
  }

  private static func act(
    _ action: ItemAction, _ invocation: Invocation
  ) async throws -> ExitStatus {
    let configuration = try invocation.configuration()
    let text = try invocation.argument()
    return try await invocation.delivering(configuration) { engagement in
      let finder = CardFinder(engagement: engagement, configuration: configuration)
      let card = try await finder.card(text)
      let receipt = try await engagement.perform(action, on: card)
      return try await invocation.conclude(
        receipt, "\(action.name) \(card.id)",
        ["id": .string(card.id.description), "action": .string(action.name)])
    }
  }
}

import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

extension Command {
  private static let container = Option(
    "container", value: "NAME", "the container; else the first that engage.json names, else home")
  private static let control = Option("control", "include control cards (not visible to users)")
  private static let snoozed = Option(
    "snoozed", "instead, the cards that are snoozed on this device, and until when")

  static let listCards = Command(
    name: ["cards", "list"], summary: "show the cards that are in the cache",
    discussion: "No vendor is asked; run \"engage sync\" to refresh.",
    options: [container, control, snoozed],
    examples: [
      Example("engage cards", "the feed"),
      Example("engage cards --container home --json", "the cards of one container, for a program"),
      Example("engage cards list --snoozed", "what comes back later"),
    ], isDefault: true,
    run: { try await CardList($0).run() })

  /// Prints a container as its user sees it.
  private struct CardList {
    let invocation: Invocation
    let container: ContainerID?
    let hasControl: Bool

    init(_ invocation: Invocation) {
      self.invocation = invocation
      container = invocation.value(Command.container).map { ContainerID($0) }
      hasControl = invocation.has(control)
    }

    func run() async throws -> ExitStatus {
      let configuration = try invocation.configuration()
      guard CacheFile(configuration.cache).wasMade else {
        invocation.console.note("The cache is empty; run \"engage sync\".")
        return .done
      }
      if invocation.has(Command.snoozed) {
        return try await invocation.listSnoozedCards(configuration)
      }
      let name = container ?? configuration.mainContainer
      if let container { try check(container, in: configuration) }
      let feed = try await invocation.cards(
        in: name, of: configuration, options: Engagement.CardOptions(includesControl: hasControl))
      try print(feed, without: configuration.providersWithoutContainer)
      return .done
    }

    /// A container that engage.json does not name would show every card.
    private func check(_ container: ContainerID, in configuration: EngageConfiguration) throws {
      let known =
        configuration.containerNames.isEmpty
        ? [configuration.mainContainer] : configuration.containerNames
      guard !known.contains(container) else { return }
      let names = known.map(\.rawValue)
      throw invocation.usage(
        "engage.json has no container \"\(container)\""
          + NearestName.hint(for: container.rawValue, among: names))
    }

    /// - Parameter lacking: The providers for which engage.json should name a container.
    private func print(
      _ feed: Engagement.CardFeed, without lacking: [ProviderID]
    ) throws(OutputError) {
      let (console, cards) = (invocation.console, feed.cards)
      if console.isJSON {
        for card in cards { try console.object(card.json.object ?? [:]) }
        return
      }
      if !cards.isEmpty { try console.table(CardTable.table(of: cards)) }
      try console.line("\(Phrase(CardTable.summary(of: feed), .faint))")
      for provider in feed.providers where feed.refreshDate(of: provider) == nil {
        console.note(
          lacking.contains(provider)
            ? "\(MissingContainer.text(at: provider))"
            : "\(provider.rawValue) was not heard yet; run \"engage sync\".")
      }
      if feed.providers.isEmpty {
        console.note(
          "Nothing fills the cards: \"engage routes\" shows their route, \"engage providers\" what each "
            + "vendor serves.")
      }
    }
  }
}

/// Cards as a table.
enum CardTable {
  static func table(of cards: [Card]) -> Table {
    var table = Table([
      .init("ID"), .init("KIND"), .init("STATE"), .init("TITLE", isFlexible: true),
      .init("TEXT", isFlexible: true),
    ])
    let ids = ShortIDs(cards.map(\.id))
    for card in cards {
      table.add([
        Phrase(ids.text(of: card.id), .cyan), Phrase(card.kind.rawValue), state(of: card),
        Phrase(card.title ?? "", .bold), Phrase(card.text ?? card.imageAlt ?? ""),
      ])
    }
    return table
  }

  private static func state(of card: Card) -> Phrase {
    var words: [String] = []
    if card.isPinned { words.append("pinned") }
    if card.isDismissed { words.append("dismissed") }
    words.append(card.isClicked ? "clicked" : card.isViewed ? "viewed" : "new")
    return Phrase(words.joined(separator: " "), card.isViewed ? nil : .yellow)
  }

  static func summary(of feed: Engagement.CardFeed) -> String {
    let count = feed.count
    let cards = count.visible == 1 ? "1 card" : "\(count.visible) cards"
    let heard = feed.providers.compactMap { provider in
      feed.refreshDate(of: provider).flatMap { ISO8601.text(of: $0) }
        .map { "\(provider) as of \($0)" }
    }.sorted()
    let control = feed.cards.count { $0.kind == .control }
    let hidden = control == 0 ? [] : ["\(control) control"]
    return ([cards, "\(count.unread) new"] + hidden + heard).joined(separator: ", ")
  }
}

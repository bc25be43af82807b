import EngagementKit
import EngagementModel

/// Finds cards by what people type.
struct CardFinder {
  let engagement: Engagement
  let configuration: EngageConfiguration

  /// The cards of every container that the configuration names, control cards too, each once.
  func all() async -> [Card] {
    var cards: [Card] = []
    var seen: Set<ItemID> = []
    let names = configuration.containerNames
    for container in names.isEmpty ? [configuration.mainContainer] : names {
      for card in await Self.cards(in: container, of: engagement)
      where seen.insert(card.id).inserted { cards.append(card) }
    }
    return cards
  }

  /// The cards of a container as they are now, control cards too.
  static func cards(in container: ContainerID, of engagement: Engagement) async -> [Card] {
    var updates = engagement.cardUpdates(in: container, options: CardOptions(includesControl: true))
      .makeAsyncIterator()
    return await updates.next()?.cards ?? []
  }

  /// The one card that is meant.
  func card(_ text: String) async throws(EngagementError) -> Card {
    try ItemFinder(noun: "card", list: "engage cards list", configuration)
      .item(text, among: await all())
  }
}

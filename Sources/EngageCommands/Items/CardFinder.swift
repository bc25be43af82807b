import EngagementKit
import EngagementModel

/// Finds cards by what people type.
struct CardFinder {
  let engagement: Engagement
  let configuration: EngageConfiguration

  /// The cards of every container that the configuration names, control cards too, each once.
  func all() -> [Card] {
    var cards: [Card] = []
    var seen: Set<ItemID> = []
    let options = Engagement.CardOptions(includesControl: true)
    for container in configuration.shownContainers {
      for card in engagement.cards(in: container, options: options).cards
      where seen.insert(card.id).inserted { cards.append(card) }
    }
    return cards
  }

  /// The one card that is meant.
  func card(_ text: String) throws(EngagementError) -> Card {
    try items.item(text, among: all())
  }

  var items: ItemFinder { ItemFinder(noun: "card", list: "engage cards list", configuration) }
}

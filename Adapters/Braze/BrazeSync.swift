import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// How a list of cards from the vendor changes the cards that are here.
struct BrazeSync {
  /// A change counts only when its `ca` is not older; viewed and clicked only become true.
  private static let rules = PatchRules(age: "ca", onlyEverSet: ["v", "cl"])
  /// A complete list leaves test cards alone and does not take back what was viewed.
  private static let retention = Retention(testItems: true, onlyEverSet: ["v", "cl"])

  private let cards: [RawItem]
  /// The ids of cards that are no more, by their places in the list.
  private let gone: [Int: String]
  private let isFull: Bool

  init(_ cards: [RawItem], isFull: Bool) {
    var gone: [Int: String] = [:]
    for (place, card) in cards.enumerated() {
      guard let fields = try? JSONFields(card), fields.flag("r") == true else { continue }
      gone[place] = fields.string("id")
    }
    self.cards = cards
    self.gone = gone
    self.isFull = isFull
  }

  var changes: [Change] {
    guard isFull else { return cards.isEmpty ? [.unchanged(.cards)] : runs }
    // Mostly nothing is gone, and the list goes on as it is.
    guard !gone.isEmpty else { return [.items(.cards, .replace(Self.retention), cards)] }
    return [
      .removed(.cards, ids: goneIDs), .items(.cards, .replace(Self.retention), listed),
    ]
  }

  private var goneIDs: [String] { cards.indices.compactMap { gone[$0] } }

  private var listed: [RawItem] {
    cards.enumerated().filter { gone[$0.offset] == nil }.map(\.element)
  }

  /// Patches and tombstones in the vendor's order: the last word on a card counts.
  private var runs: [Change] {
    var changes: [Change] = []
    var rest = cards.indices[...]
    while let first = rest.first {
      let isGone = gone[first] != nil
      let run = rest.prefix { (gone[$0] != nil) == isGone }
      rest = rest.dropFirst(run.count)
      changes.append(
        isGone
          ? .removed(.cards, ids: run.compactMap { gone[$0] })
          : .items(.cards, .patch(Self.rules), run.map { cards[$0].identified }))
    }
    return changes
  }

  /// Those of the dismissed cards that the vendor still lists: one that it sends again after it
  /// was gone can be dismissed again.
  func dismissals(among dismissed: [String]) -> [String] {
    guard !dismissed.isEmpty else { return [] }
    guard isFull else { return dismissed.filter { !goneIDs.containsBytes(of: $0) } }
    let listed = listed.compactMap(\.identified.id)
    return dismissed.filter { listed.containsBytes(of: $0) }
  }
}

extension RawItem {
  /// The card with its id, which a patch is laid over another card by.
  fileprivate var identified: RawItem {
    var card = self
    card.id = (try? JSONFields(self))?.string("id")
    return card
  }
}

extension [String] {
  fileprivate func containsBytes(of text: String) -> Bool {
    contains { $0.hasSameBytes(as: text) }
  }
}

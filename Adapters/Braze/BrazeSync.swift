import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// Turns the vendor's list of cards into changes.
struct BrazeSync {
  /// A patch applies only if its `ca` is not older. `v` and `cl` never become false again.
  private static let rules = PatchRules(age: "ca", onlyEverSet: ["v", "cl"])
  /// A complete list does not remove test cards, and `v` and `cl` never become false again.
  private static let retention = Retention(testItems: true, onlyEverSet: ["v", "cl"])

  private let cards: [RawItem]
  /// The ids of removed cards, by their position in the list.
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
    // Usually nothing is removed, and the list is used without a copy.
    guard !gone.isEmpty else { return [.items(.cards, .replace(Self.retention), cards)] }
    return [
      .removed(.cards, ids: goneIDs), .items(.cards, .replace(Self.retention), listed),
    ]
  }

  private var goneIDs: [String] { cards.indices.compactMap { gone[$0] } }

  private var listed: [RawItem] {
    cards.enumerated().filter { gone[$0.offset] == nil }.map(\.element)
  }

  /// Patches and removals in the vendor's order, because the last entry for a card decides.
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

  /// The dismissed cards that the vendor still lists. If the vendor removes a card and sends it
  /// again, the user can dismiss it again.
  func dismissals(among dismissed: [String]) -> [String] {
    guard !dismissed.isEmpty else { return [] }
    guard isFull else { return dismissed.filter { !goneIDs.containsBytes(of: $0) } }
    let listed = listed.compactMap(\.identified.id)
    return dismissed.filter { listed.containsBytes(of: $0) }
  }
}

extension RawItem {
  /// The card with its id, which a patch needs.
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

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
          : .items(.cards, .patch(Self.rules), run.map { cards[$0].patch }))
    }
    return changes
  }

  /// The dismissed cards that the vendor still lists. If the vendor removes a card and sends it
  /// again, the user can dismiss it again.
  func dismissals(among dismissed: [String]) -> [String] {
    guard !dismissed.isEmpty else { return [] }
    guard isFull else { return dismissed.filter { !goneIDs.containsBytes(of: $0) } }
    let listed = listed.compactMap { (try? JSONFields($0))?.string("id") }
    return dismissed.filter { listed.containsBytes(of: $0) }
  }
}

extension RawItem {
  /// The card as a patch: with its id, and without the members that are null. In a delta null
  /// means that the vendor does not say.
  fileprivate var patch: RawItem {
    guard let fields = try? JSONFields(self) else { return self }
    var card = self
    card.id = fields.string("id")
    let said = fields.members.filter { fields.kind(of: JSONKey($0.key)) != .null }
    guard said.count < fields.members.count else { return card }
    var writer = JSONWriter(reservingCapacity: bytes.count)
    writer.beginObject()
    for member in said {
      writer.key(member.key)
      writer.raw(member.value)
    }
    writer.endObject()
    card.bytes = writer.bytes[...]
    return card
  }
}

extension [String] {
  fileprivate func containsBytes(of text: String) -> Bool {
    contains { $0.hasSameBytes(as: text) }
  }
}

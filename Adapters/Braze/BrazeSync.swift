import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// How a list of cards from the vendor changes the cards that are here.
struct BrazeSync {
  /// A change counts only when its `ca` is not older; viewed and clicked only become true.
  private static let rules = PatchRules(age: "ca", onlyEverSet: ["v", "cl"])
  /// A complete list leaves test cards alone and does not take back what was viewed.
  private static let retention = Retention(testItems: true, onlyEverSet: ["v", "cl"])

  private let entries: [Entry]
  private let isFull: Bool

  init(_ cards: [RawItem], isFull: Bool) {
    entries = cards.map(Entry.init)
    self.isFull = isFull
  }

  var changes: [Change] {
    guard isFull else { return entries.isEmpty ? [.unchanged(.cards)] : runs }
    let gone = entries.compactMap(\.goneID)
    let listed = entries.filter { !$0.isGone }.map(\.item)
    let removal: [Change] = gone.isEmpty ? [] : [.removed(.cards, ids: gone)]
    return removal + [.items(.cards, .replace(Self.retention), listed)]
  }

  /// Patches and tombstones in the vendor's order: the last word on a card counts.
  private var runs: [Change] {
    var changes: [Change] = []
    var rest = entries[...]
    while let isGone = rest.first?.isGone {
      let run = rest.prefix { $0.isGone == isGone }
      rest = rest.dropFirst(run.count)
      changes.append(
        isGone
          ? .removed(.cards, ids: run.compactMap(\.goneID))
          : .items(.cards, .patch(Self.rules), run.map(\.item)))
    }
    return changes
  }

  /// Those of the dismissed cards that the vendor still lists: one that it sends again after it
  /// was gone can be dismissed again.
  func dismissals(among dismissed: [String]) -> [String] {
    guard !dismissed.isEmpty else { return [] }
    let gone = entries.compactMap(\.goneID)
    guard isFull else { return dismissed.filter { !gone.containsBytes(of: $0) } }
    let listed = entries.filter { !$0.isGone }.compactMap(\.item.id)
    return dismissed.filter { listed.containsBytes(of: $0) }
  }

  private struct Entry {
    var item: RawItem
    /// The id of a card that is no more.
    var goneID: String?
    var isGone: Bool { goneID != nil }

    init(_ item: RawItem) {
      self.item = item
      guard let fields = try? JSONFields(item) else { return }
      self.item.id = fields.string("id")
      if fields.flag("r") == true { goneID = self.item.id }
    }
  }
}

extension [String] {
  fileprivate func containsBytes(of text: String) -> Bool {
    contains { $0.hasSameBytes(as: text) }
  }
}

/// Stays on screen that are not counted yet, the oldest first. The first stay is always still on
/// screen.
///
/// A stay that ends early stays in the array until it would be the first, or until ended stays
/// outnumber the others. So each stay has a constant average cost.
struct WaitingStays: Sendable {
  struct Stay: Sendable {
    var item: ItemID
    var since: Duration
    /// The number of the stay, increasing. The stay has ended if the item now has another number or
    /// none.
    var number: UInt64
  }

  private var stays: [Stay] = []
  private var start = 0

  init() {}

  /// All items on screen, with stays that begin at `now`, in the order in which the items appeared.
  init(_ onScreen: [ItemID: UInt64], since now: Duration) {
    stays = onScreen.sorted { $0.value < $1.value }
      .map { Stay(item: $0.key, since: now, number: $0.value) }
  }

  var first: Stay? { start < stays.count ? stays[start] : nil }

  mutating func append(_ stay: Stay) { stays.append(stay) }

  mutating func removeFirst(onScreen: [ItemID: UInt64]) {
    start += 1
    removeEnded(onScreen: onScreen)
  }

  mutating func removeEnded(onScreen: [ItemID: UInt64]) {
    while let stay = first, onScreen[stay.item] != stay.number { start += 1 }
    guard stays.count > 2 * onScreen.count + 32 else { return }
    stays = stays[start...].filter { onScreen[$0.item] == $0.number }
    start = 0
  }
}

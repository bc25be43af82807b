import EngagementModel
import Testing

@testable import EngagementStore

@Suite struct ListPositionsTests {
  @Test("the first places are in order, with gaps between them")
  func first() {
    #expect(
      ListPositions.assigned([nil, nil, nil]) == [0, ListPositions.gap, 2 * ListPositions.gap])
    #expect(ListPositions.assigned([]) == [])
  }

  @Test(
    "items that stay in order keep their places",
    arguments: [
      ([1, 2, 3], 3), ([nil, 1, 2], 2), ([100, nil, 200, nil], 2), ([3, 1, 2], 2), ([2, 1], 1),
      ([5, 1, 2, 3, 4], 4), ([nil, 3, nil, 2, nil, 9], 2), ([7, 7, 7], 0),
    ] as [([Int64?], Int)])
  func keeps(old: [Int64?], kept: Int) {
    let new = ListPositions.assigned(old)
    #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(old, new).count { $0 == $1 } >= min(kept, 1))
    if kept > 1, !old.contains(7) { #expect(zip(old, new).count { $0 == $1 } == kept) }
  }

  @Test("places are renumbered when two neighbours have no gap between them")
  func noRoom() {
    #expect(ListPositions.assigned([1, nil, 2]) == [0, ListPositions.gap, 2 * ListPositions.gap])
    #expect(ListPositions.assigned([0, nil, 2]) == [0, 1, 2])
  }

  @Test("places at the ends of the valid range still rise without a trap")
  func ends() {
    let (low, high) = (ListPositions.sound.lowerBound, ListPositions.sound.upperBound)
    for old in [[nil, low, high, nil], [high, low], [low, nil, high], [nil, nil, low]] {
      let new = ListPositions.assigned(old)
      #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(ListPositions.behind(high) > high)
    #expect(ListPositions.behind(nil) == 0)
  }

  @Test("any list gets rising places and keeps at least its longest rising subsequence")
  func random() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let count = Int(random.next() % 9)
      let old: [Int64?] = (0..<count).map { _ in
        random.next() % 4 == 0 ? nil : Int64(random.next() % 12) * ListPositions.gap
      }
      let new = ListPositions.assigned(old)
      #expect(new.count == count)
      #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
      #expect(zip(old, new).count { $0 == $1 } >= longestRise(old), "\(old)")
    }
  }

  /// The length of the longest rising subsequence, found by trying every one.
  private func longestRise(_ old: [Int64?]) -> Int {
    (0..<(1 << old.count)).map { choice in
      let chosen = old.indices.filter { choice >> $0 & 1 == 1 }.map { old[$0] }
      let places = chosen.compactMap(\.self)
      let isRise = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
      return isRise && places.count == chosen.count ? places.count : 0
    }.max() ?? 0
  }
}

import Testing

@testable import EngagementStore

@Suite struct PlacesTests {
  @Test("the first places are in order, with room between them")
  func first() {
    #expect(Places.assigned([nil, nil, nil]) == [0, Places.gap, 2 * Places.gap])
    #expect(Places.assigned([]) == [])
  }

  @Test(
    "what keeps its order keeps its place",
    arguments: [
      ([1, 2, 3], 3), ([nil, 1, 2], 2), ([100, nil, 200, nil], 2), ([3, 1, 2], 2), ([2, 1], 1),
      ([5, 1, 2, 3, 4], 4), ([nil, 3, nil, 2, nil, 9], 2), ([7, 7, 7], 0),
    ] as [([Int64?], Int)])
  func keeps(old: [Int64?], kept: Int) {
    let new = Places.assigned(old)
    #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(old, new).count { $0 == $1 } >= min(kept, 1))
    if kept > 1, !old.contains(7) { #expect(zip(old, new).count { $0 == $1 } == kept) }
  }

  @Test("without room between two all places are new")
  func noRoom() {
    #expect(Places.assigned([1, nil, 2]) == [0, Places.gap, 2 * Places.gap])
    #expect(Places.assigned([0, nil, 2]) == [0, 1, 2])
  }

  @Test("places at the ends of what is sound trap nothing")
  func ends() {
    let (low, high) = (Places.sound.lowerBound, Places.sound.upperBound)
    for old in [[nil, low, high, nil], [high, low], [low, nil, high], [nil, nil, low]] {
      let new = Places.assigned(old)
      #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(Places.behind(high) > high)
    #expect(Places.behind(nil) == 0)
  }

  @Test("any list gets rising places, and as many stay as any rise of the old ones has")
  func random() {
    var random = SeededNumbers(7)
    for _ in 0..<500 {
      let count = Int(random.next() % 9)
      let old: [Int64?] = (0..<count).map { _ in
        random.next() % 4 == 0 ? nil : Int64(random.next() % 12) * Places.gap
      }
      let new = Places.assigned(old)
      #expect(new.count == count)
      #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 })
      #expect(zip(old, new).count { $0 == $1 } >= longestRise(old), "\(old)")
    }
  }

  /// By trying every choice.
  private func longestRise(_ old: [Int64?]) -> Int {
    (0..<(1 << old.count)).map { choice in
      let chosen = old.indices.filter { choice >> $0 & 1 == 1 }.map { old[$0] }
      let places = chosen.compactMap(\.self)
      let isRise = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
      return isRise && places.count == chosen.count ? places.count : 0
    }.max() ?? 0
  }
}

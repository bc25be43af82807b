import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite struct ShadowComparisonTests {
  private typealias Memory = ShadowComparison.Memory

  private static func items(_ provider: ProviderID, _ keys: [Int]) -> [ShadowItem] {
    keys.compactMap { number in
      var card = Card(ItemID(provider, "\(number)"), vendor: "v", kind: .classic)
      card.extras["sku"] = .string("key-\(number)")
      card.contentKey = try? ContentKeySource.extra("sku").key(of: card)
      return ShadowItem(card)
    }
  }

  private static func compare(
    _ shown: [Int], _ candidate: [Int], _ memory: inout Memory, at uptime: Duration = .zero
  ) -> ShadowComparison {
    ShadowComparison(
      items("a", shown), with: items("b", candidate), hidden: [], unreadable: 0, &memory,
      at: uptime)
  }

  @Test(
    "X10: the moved contents are the fewest that make both orders equal",
    arguments: [
      ([1, 2, 3, 4], [1, 2, 3, 4], 0), ([1, 2, 3, 4], [4, 1, 2, 3], 1),
      ([1, 2, 3, 4], [4, 3, 2, 1], 3), ([1, 2, 3, 4], [2, 1, 4, 3], 2), ([], [1], 0),
      ([5, 1, 2], [1, 9, 2], 0),
    ])
  func moved(shown: [Int], candidate: [Int], count: Int) {
    var memory = Memory()
    let comparison = Self.compare(shown, candidate, &memory)
    #expect(comparison.figures.moved == count)
    #expect(comparison.examples.count { $0.kind == .moved } == min(count, 3))
  }

  @Test("X10: a longest rising run is rising, and no other one is longer")
  func runs() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<200 {
      let numbers = (0..<Int.random(in: 0...7, using: &random)).shuffled(using: &random)
      let run = ShadowComparison.longestRun(in: numbers)
      let kept = numbers.filter(run.contains)
      #expect(kept == kept.sorted())
      let best = (0..<(1 << numbers.count)).map { bits in
        numbers.indices.filter { bits >> $0 & 1 == 1 }.map { numbers[$0] }
      }.filter { $0 == $0.sorted() }.map(\.count).max()
      #expect(run.count == best)
    }
  }

  @Test("X10: an optional field counts where both have it, and an empty text is none")
  func fields() {
    var (mine, theirs) = (
      Card(ItemID("a", "1"), vendor: "v", kind: .classic),
      Card(ItemID("b", "1"), vendor: "w", kind: .classic)
    )
    mine.linkText = "Open"
    mine.text = ""
    mine.urlText = "https://example.com"
    #expect(ShadowItem(mine).differences(from: ShadowItem(theirs)) == ["link"])
    theirs.linkText = "Show"
    theirs.title = "New"
    theirs.urlText = "https://example.com"
    #expect(ShadowItem(mine).differences(from: ShadowItem(theirs)) == ["title", "linkText"])
    var (one, other) = (
      InboxMessage(ItemID("a", "1"), vendor: "v"), InboxMessage(ItemID("b", "1"), vendor: "w")
    )
    one.imageURLText = "https://example.com/a.png"
    one.buttons = [.init("Buy", .copy("x"))]
    #expect(ShadowItem(one).differences(from: ShadowItem(other)) == ["image"])
    other.buttons = [.init("Take", .copy("x"))]
    #expect(ShadowItem(one).differences(from: ShadowItem(other)) == ["image", "buttons"])
  }

  @Test("X10: what is kept for the next comparison is bounded, and the figures are not")
  func bounds() throws {
    var memory = Memory()
    let many = Array(0..<5_000)
    let comparison = Self.compare(many, [], &memory)
    #expect(comparison.figures.onlyShown == 5_000 && memory.missing.count == Memory.limit)
    #expect(comparison.examples.count == 3)
    var record = ParityRecord(ParityReport(.cards, of: "b", shown: ["a"]))
    for _ in 0..<3 {
      record.add(shown: ["a"], at: .init(timeIntervalSince1970: 0)) { memory in
        Self.compare(many, many.map { $0 + 2_500 }, &memory)
      }
    }
    #expect(record.report.total.onlyShown == 7_500)
    #expect(record.json.encoded().count < 16_384)
    #expect(ParityRecord(json: record.json) == record)
  }

  @Test("X10: an uptime of before the machine was started again gives no delay")
  func restart() {
    var memory = Memory()
    _ = Self.compare([1], [], &memory, at: .seconds(500))
    let comparison = Self.compare([1], [1], &memory, at: .seconds(5))
    #expect(comparison.figures.later == 1 && comparison.longestDelay == nil)
    #expect(memory.missing.isEmpty)
  }

  @Test("X10: beside other providers, nothing is later for having been missing before")
  func otherRoute() {
    var record = ParityRecord(ParityReport(.inbox, of: "b", shown: ["a"]))
    let now = ParityReport.Figures()
    record.add(shown: ["a"], at: .init(timeIntervalSince1970: 0)) { memory in
      Self.compare([1], [], &memory)
    }
    record.add(shown: ["c"], at: .init(timeIntervalSince1970: 1)) { memory in
      Self.compare([1], [1], &memory)
    }
    #expect(record.report.last.later == now.later && record.report.shown == ["c"])
  }

  @Test("X10: a stored record that is damaged is none, and its unknown members are passed over")
  func damaged() {
    for json: JSON in ["x", [:], ["report": ["surface": "cards"]], ["report": .array([])]] {
      #expect(ParityRecord(json: json) == nil)
    }
    let odd: JSON = [
      "report": [
        "surface": "cards", "candidate": "b", "comparisons": -4, "last": ["both": "many"],
        "longestDelay": -1, "examples": [["kind": "no"], 7], "failures": 1e99,
      ], "missing": ["zz": 1, "00": -1], "ended": [1, "zz"],
    ]
    #expect(ParityRecord(json: odd) == ParityRecord(ParityReport(.cards, of: "b", shown: [])))
  }
}

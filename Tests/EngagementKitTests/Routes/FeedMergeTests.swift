import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

@Suite("merging the lists of several providers")
struct FeedMergeTests {
  private static let start = Date(timeIntervalSince1970: 1_790_000_000)

  @Test("X3: cards are ordered by pin, then priority with 5 as default, then latest activity")
  func order() {
    let cards = [
      Card.a("late") { $0.activeAt = Self.start.addingTimeInterval(1) },
      Card.a("early") { $0.activeAt = Self.start },
      Card.a("never"),
      Card.b("urgent") { $0.priority = 1 },
      Card.b("five") {
        $0.priority = 5
        $0.activeAt = Self.start.addingTimeInterval(0.5)
      },
      Card.b("last") { $0.priority = 6 },
      Card.b("pinned") {
        $0.isPinned = true
        $0.priority = 10
      },
    ]
    let order = FeedMerge.cards([Array(cards[..<3]), Array(cards[3...])]).map(\.id.value)
    #expect(order == ["pinned", "urgent", "late", "five", "early", "never", "last"])
  }

  @Test("X3: otherwise equal cards are ordered by the bytes of provider and id")
  func ties() {
    let ids = [
      ItemID("b", "1"), ItemID("a", "e\u{301}"), ItemID("a", "\u{e9}"), ItemID("a", "2"),
    ]
    let merged = FeedMerge.cards([ids.map { .test($0) }]).map(\.id)
    #expect(merged == [ids[3], ids[1], ids[2], ids[0]])
  }

  @Test("X3: messages come newest first, those without a time last")
  func messages() {
    let lists = [
      [
        InboxMessage.test(ItemID("a", "none")),
        InboxMessage.test(ItemID("a", "old")) { $0.createdAt = Self.start },
      ],
      [
        InboxMessage.test(ItemID("b", "new")) { $0.createdAt = Self.start.addingTimeInterval(9) },
        InboxMessage.test(ItemID("b", "none")),
      ],
    ]
    let order = FeedMerge.messages(lists).map(\.id.description)
    #expect(order == ["b/new", "a/old", "a/none", "b/none"])
  }

  @Test(
    "X3: the order does not depend on which provider answered first", arguments: UInt64(0)..<200)
  func permutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lists = ["a", "b", "c"].map { provider in
      (0..<random.below(12)).map { Self.card(ItemID(ProviderID(provider), "\($0)"), &random) }
    }
    let expected = FeedMerge.cards(lists)
    #expect(Set(expected) == Set(lists.joined()))
    #expect(expected.count == lists.joined().count)
    let shuffled = lists.shuffled(using: &random).map { $0.shuffled(using: &random) }
    #expect(FeedMerge.cards(shuffled) == expected)
    #expect(FeedMerge.cards([expected]) == expected)
  }

  @Test("a NaN time counts as none")
  func noNumber() {
    let cards = [
      Card.a("nan") { $0.activeAt = Date(timeIntervalSince1970: .nan) },
      Card.b("some") { $0.activeAt = .distantPast },
    ]
    #expect(FeedMerge.cards([cards]).map(\.id.value) == ["some", "nan"])
  }

  /// A card with few different values, so that ties are common.
  private static func card(_ id: ItemID, _ random: inout SeededGenerator) -> Card {
    .test(id) { card in
      card.isPinned = random.chance(20)
      card.priority = random.chance(40) ? nil : 4 + random.below(3)
      card.activeAt = random.chance(30) ? nil : start.addingTimeInterval(Double(random.below(3)))
    }
  }
}
